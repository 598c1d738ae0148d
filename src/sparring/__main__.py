"""`python -m sparring` is `spar`."""

from sparring.cli import main

main()

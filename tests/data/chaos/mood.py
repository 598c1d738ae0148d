"""What an agent keeps in a module of its own."""

calls = 0

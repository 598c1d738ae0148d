"""Designs that were published with flaws: each is there as it was written and corrected, and every flaw is a switch.

`NAME:corrected,keep=FLAW` leaves one flaw in, `NAME:as_written,fix=FLAW` mends one alone: so each can be measured.
"""

from collections.abc import Mapping

from sparring.agents.spec import Spec
from sparring.core.errors import SparringError, unknown


def fixes_of(
    spec: Spec, editions: Mapping[str, frozenset[str]], fixes: Mapping[str, str], edition: str = ""
) -> frozenset[str]:
    """The fixes of an edition, with some more or some less: of one that is told here, or that the spec names."""
    name, _, named = spec.name.partition(":")
    edition = edition or named or "as_written"
    if edition not in editions:
        raise unknown(f"edition of {name}", edition, editions)
    more, fewer = (frozenset(filter(None, spec.options.get(option, "").split("+"))) for option in ("fix", "keep"))
    for option, names in (("fix", more), ("keep", fewer)):
        if option in spec.options and not names:
            raise SparringError(f"{option} needs the names of flaws in {spec.text!r}: {', '.join(fixes)}")
        for flaw in names:
            if flaw not in fixes:
                raise unknown(f"flaw of {name}", flaw, fixes)
    if more & fewer:
        raise SparringError(f"{spec.text!r} both fixes and keeps {min(more & fewer)}")
    return (editions[edition] | more) - fewer

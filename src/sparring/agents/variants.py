"""Variants of designs that were published with flaws: `as_written`, `corrected`, and each flaw as a switch.

`NAME:corrected,keep=FLAW` leaves one flaw in, `NAME:as_written,fix=FLAW` mends one alone. So each can be measured.
"""

from collections.abc import Mapping

from sparring.agents.spec import Spec
from sparring.core.errors import SparringError, unknown


def fixes_of(
    spec: Spec, variants: Mapping[str, frozenset[str]], fixes: Mapping[str, str], variant: str = ""
) -> frozenset[str]:
    """Return the fixes of a variant, changed by `fix=` and `keep=`. The spec names the variant if none is given."""
    name, _, named = spec.name.partition(":")
    variant = variant or named or "as_written"
    if variant not in variants:
        raise unknown(f"variant of {name}", variant, variants)
    more, fewer = (frozenset(filter(None, spec.options.get(option, "").split("+"))) for option in ("fix", "keep"))
    for option, names in (("fix", more), ("keep", fewer)):
        if option in spec.options and not names:
            raise SparringError(f"{option} needs the names of flaws in {spec.text!r}: {', '.join(fixes)}")
        for flaw in names:
            if flaw not in fixes:
                raise unknown(f"flaw of {name}", flaw, fixes)
    if more & fewer:
        raise SparringError(f"{spec.text!r} both fixes and keeps {min(more & fewer)}")
    return (variants[variant] | more) - fewer

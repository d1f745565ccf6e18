"""Rounding of figures for display.

docs/src/lib/rounding.ts does the same for the site; docs/tests/rounding.json has numbers with the
results that both must give.
"""

from decimal import ROUND_HALF_UP, Decimal


def short(number: float) -> str:
    """Three digits of a number, or all before the point; one digit of what is below a
    thousandth.
    """
    if abs(number) >= 100:
        return whole(number)
    if number == 0:
        return "0"
    digits = 1 if abs(number) < 0.001 else 3
    told = rounded(number, digits - 1 - Decimal(number).adjusted())
    return told.rstrip("0").rstrip(".") if "." in told else told


def whole(number: float) -> str:
    return f"{int(rounded(number, 0)):,}"


def share(percent: float) -> str:
    """Per cent with two digits after the point, and more where these would make it a hundred that
    it is not.
    """
    if percent == 100:
        return "100"
    digits = 2
    while digits < 9 and float(rounded(percent, digits)) == 100:
        digits += 1
    return rounded(percent, digits)


def rounded(number: float, digits: int) -> str:
    """A number with so many digits after the point, halves away from zero as in JavaScript."""
    return f"{Decimal(number).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"

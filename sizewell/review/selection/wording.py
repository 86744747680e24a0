"""How amounts are written in a reason."""


def usd_per_month(amount: float) -> str:
    """Return an amount per month with its unit; cents where they count."""
    return f"{amount:,.0f} USD per month" if amount >= 10 else f"{amount:,.2f} USD per month"


def usd_per_hour(price: float) -> str:
    """Return a price as its source writes it, with two decimals at least and four at most."""
    whole, _, decimals = f"{price:,.4f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"


def instances(count: int) -> str:
    """Return a number of instances."""
    return "1 instance" if count == 1 else f"{count:,} instances"

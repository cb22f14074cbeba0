"""Taking, leaving and handing over a seat."""

"""The rulesets that are installed, and the referee without a stored game."""

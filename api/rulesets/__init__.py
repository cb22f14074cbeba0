"""The rulesets that are installed, and the shapes of their positions and moves."""

"""For authors of rulesets: scaffold, scenarios, checks of what a ruleset declares."""

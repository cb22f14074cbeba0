"""What people and pages read about a ruleset: its rules, its cards."""

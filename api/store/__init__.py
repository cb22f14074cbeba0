"""All SQL: reads and writes rows, without game logic."""

"""The game in hand: its state and log entries, who sees what of it, its history."""

"""Actions of players in long games: standing orders, vacations, pauses and nudges."""

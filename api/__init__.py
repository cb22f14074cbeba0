"""Card Referee's server: Flask, PostgreSQL, and everything with an effect."""

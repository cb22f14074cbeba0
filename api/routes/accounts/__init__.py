"""Keys, players, guests, and who the caller is."""

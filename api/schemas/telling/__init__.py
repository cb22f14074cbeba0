"""What apps are told, where, and how that went."""

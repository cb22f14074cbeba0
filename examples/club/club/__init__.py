"""A club that plays at a Card Referee server: members, tournaments, a ladder, standings."""

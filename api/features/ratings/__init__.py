"""Ratings of players from the public games that they finish, in the order of the log of all games."""

from api.feature import SECOND, Due, Feature, Job
from api.features.ratings import ratings, tables

FEATURE = Feature(
    "ratings",
    needs=["proofs"],
    tables=[tables.ratings, tables.ratings_read],
    routes=["routes"],
    jobs=[Job(ratings.rate_all, SECOND, Due("games_to_rate", ratings.UNREAD))],
)

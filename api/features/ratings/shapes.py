"""What these operations answer."""

from __future__ import annotations

from marshmallow import fields

from api.games.shapes import PlayerName
from api.http.fields import Described
from api.http.members import Boolean, Count, Integer, Nested, String
from api.http.shapes import Answer, page_of


class Number(Described, fields.Float):
    """A number."""


class Rating(Answer):
    """What is known of a player's skill in a game."""

    player = Nested(PlayerName)
    ruleset = String()
    rating = Integer(about="For people: 1000 + 40 (mu - 3 sigma), rounded. A newcomer begins with 1000.")
    mu = Number(about="The estimate of the skill, as OpenSkill's Plackett-Luce model computes it.")
    sigma = Number(about="The uncertainty of that.")
    games = Count(about="How many games count.")
    provisional = Boolean(about="The player has finished fewer than ten games that count.")


RatingList = page_of(Rating, "RatingList", "Ratings.")

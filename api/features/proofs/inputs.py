"""What these operations accept."""

from __future__ import annotations

from api.http.fields import Input, QueryWhole, Text

MOST_LEAVES = 9_999_999_999


class CheckpointQuestion(Input):
    """Which checkpoint."""

    cosigned = QueryWhole(1, 64, about="The newest that so many witnesses have cosigned.")


class Cosigned(Input):
    """A checkpoint with cosignatures."""

    checkpoint = Text(1, 8192, required=True, about="The signed note, with the lines of witnesses.")


class ConsistencyQuestion(Input):
    """The two trees."""

    first = QueryWhole(1, MOST_LEAVES, required=True, about="The size of the smaller tree.")
    second = QueryWhole(1, MOST_LEAVES, about="The size of the larger tree; the newest by default.")

"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, post_load

from api.callers.answers import SCOPES
from api.http.fields import Choice, Flag, Input, Items, Name, Text
from api.http.patterns import Duration, Id
from api.http.queries import EXTERNAL_ID, METADATA


class NewPlayer(Input):
    """A player to create."""

    name = Name(required=True)
    external_id = EXTERNAL_ID
    metadata = METADATA


class PlayerChange(Input):
    """The changes of a player."""

    name = Name()
    external_id = EXTERNAL_ID
    metadata = METADATA


class NewToken(Input):
    """A player token to create. It expires with the key that creates it, or earlier with `expires_in`."""

    expires_in = Duration(load_default=None)
    game = Id(load_default=None, allow_none=True, about="The only game for which it is; null: for all.")


class NewKey(Input):
    """An app key to create."""

    scopes = Items(
        Choice(*SCOPES), 1, len(SCOPES), load_default=["read", "write"], metadata={"uniqueItems": True}
    )
    expires_in = Duration(load_default=None)
    name = Text(1, 100, load_default=None, allow_none=True, about="What to call the key in lists.")

    @post_load
    def once(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Remove duplicate scopes."""
        if len(set(data["scopes"])) != len(data["scopes"]):
            raise ValidationError("Must contain each scope only once.", "scopes")
        return data


class Revocation(Input):
    """What is revoked together with a key."""

    keep_tokens = Flag(
        query=True,
        load_default=True,
        about="False, for a key that somebody has stolen: also revoke the player tokens created with it.",
    )

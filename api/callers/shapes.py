"""Players, guests, keys, tokens and turns in requests and answers."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, post_load

from api.http.fields import Choice, Flag, Items, Name, Text
from api.http.members import UUID, Count, DateTime, EntryTime, List, Nested, Object, String
from api.http.patterns import Duration, Id
from api.http.queries import EXTERNAL_ID, METADATA, Labels
from api.http.shapes import Answer, Input, page_of, part

SCOPES = ("read", "write", "audit", "keys")


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


class Player(Labels):
    """A player of an app."""

    id = UUID()
    name = String()
    created_at = DateTime()


class PlayerData(Answer):
    """Everything that is stored of a player."""

    player = Nested(Player)
    contact = Object(optional=True, about="The mail address, and how the player is notified.")
    said_after = List(
        part("A message after the end of a game.", game=UUID(), text=String(), at=EntryTime()),
        about="What the player has said after games.",
    )
    rows = Object(
        about="By table of the database: the rows that name the player, without hashes and sealed columns. "
        "`words` has what the player was called, and has said, in games."
    )


PlayerList = page_of(Player, "PlayerList", "A page of players, newest first.")


WON = "Games that the player has won; in a comparison, those that the other player has not won."
POINTS = "The sum of the player's final scores."
TIMEOUTS = "How often the player ran out of time, including games whose seat was taken over afterwards."


ITS_GAME = "The only game for which it is; null: for all."


class NewTokenShown(Answer):
    """A player token, which is shown only once."""

    id = UUID()
    token = String()
    created_at = DateTime()
    expires_at = DateTime(null=True)
    game = UUID(null=True, about=ITS_GAME)


class Credential(Answer):
    """A token or key, without its secret."""

    id = UUID()
    created_at = DateTime()
    expires_at = DateTime(null=True)
    revoked_at = DateTime(null=True)


class Token(Credential):
    """A player token, without the token itself."""

    game = UUID(null=True, about=ITS_GAME)


TokenList = page_of(Token, "TokenList", "A page of tokens, newest first.")


class NewGuest(Answer):
    """A guest of this server, with a token that is shown only once."""

    player = Nested(Player)
    token = String()
    expires_at = DateTime()


class Key(Credential):
    """An app key, without the key itself."""

    scopes = List(Choice(*SCOPES))
    name = String(null=True, about="What its creator called it.")
    prefix = String(null=True, about="Its first characters, which lists show.")


class NewKeyShown(Key):
    """An app key, which is shown only once."""

    key = String()


KeyList = page_of(Key, "KeyList", "A page of keys, newest first.")


class Me(Answer):
    """The owner of the token."""

    type = Choice("app", "player")
    app = part("The app.", id=UUID(), name=String())
    player = Nested(Player, null=True)
    scopes = List(String())
    expires_at = DateTime(null=True)


class Turn(Answer):
    """A seat of mine whose turn it is."""

    game = UUID()
    ruleset = String()
    seat = Count()
    version = Count()
    since = DateTime()
    deadline = DateTime(null=True)
    title = String(null=True, about="The game's.")


TurnList = page_of(Turn, "TurnList", "A page of turns, the most urgent deadline first.")


class Health(Answer):
    """The state of the service."""

    status = Choice("ok")

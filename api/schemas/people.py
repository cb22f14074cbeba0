"""Players, guests, keys, tokens and turns in answers."""

from __future__ import annotations

import referee
from api.schemas.fields import Choice
from api.schemas.games import Game, GameSummary, Pace
from api.schemas.labels import Labels
from api.schemas.members import UUID, Boolean, Count, DateTime, Integer, List, Nested, Object, String
from api.schemas.requests.people import SCOPES
from api.schemas.shapes import Answer, OpenAnswer, page_of, part


class Player(Labels):
    """A player of an app."""

    id = UUID()
    name = String()
    created_at = DateTime()


PlayerList = page_of(Player, "PlayerList", "A page of players, newest first.")


WON = "Games that the player has won; in a comparison, those that the other player has not won."
POINTS = "The sum of the player's final scores."
TIMEOUTS = "How often the player ran out of time, including games whose seat was taken over afterwards."


class Opponent(Answer):
    """The results of the other player in the same games."""

    wins = Count(about="Games that the other player has won and this player has not.")
    points = Integer()
    timeouts = Count()


class Counted(Answer):
    """The statistics of a player for one ruleset."""

    ruleset = String()
    games = Count(about="Games that the player has finished.")
    wins = Count(about=WON)
    points = Integer(about=POINTS)
    timeouts = Count(about=TIMEOUTS)
    opponent = Nested(Opponent, null=True)


class Statistics(Answer):
    """The statistics of a player, in total and for each ruleset, alone or compared with another player."""

    player = UUID()
    against = UUID(null=True, about="The other player.")
    games = Count(about="Games that the player has finished.")
    wins = Count(about=WON)
    points = Integer(about=POINTS)
    timeouts = Count(about=TIMEOUTS)
    opponent = Nested(Opponent, null=True)
    rulesets = List(Nested(Counted), about="Each ruleset of which the player has such games.")


ITS_GAME = "The only game for which it is; null: for all."


class NewTokenShown(Answer):
    """A player token, which is shown only once."""

    id = UUID()
    token = String()
    created_at = DateTime()
    expires_at = DateTime(null=True)
    game = UUID(
        null=True, optional=True, about=ITS_GAME + " Missing in the repeated answer of an earlier version."
    )


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


class NewSeatGuest(NewGuest):
    """A guest who has taken a seat, with a token that is shown only once and ends with the game."""

    expires_at = DateTime(null=True)
    game = Nested(Game)


class WatchLink(Answer):
    """A token with which anybody may watch one game; it is shown only once."""

    id = UUID()
    token = String()
    expires_at = DateTime()


class Asker(Answer):
    """Somebody who would like to watch a game."""

    name = String(about="As whoever asked has written it; nobody has checked it.")
    at = DateTime()


class Asked(Answer):
    """Who would like to watch a game, the first one first."""

    items = List(Nested(Asker))


class Seated(Answer):
    """Somebody who has a seat: a player or a bot."""

    seat = Count()
    name = String(null=True)
    bot = String(null=True)


class Invitation(Answer):
    """The game to which an invite code belongs."""

    ruleset = String()
    ruleset_version = Count()
    options = Object()
    title = String(null=True)
    seats = Count(1)
    players = List(Nested(Seated), about="Who has a seat already.")
    pace = Nested(Pace, null=True)
    entropy = Choice(
        "given", referee.COMMIT, about="With `commit` a seat is taken with a `commitment` to its entropy."
    )


class SignIn(Answer):
    """A request to sign in; the link that was mailed has its id."""

    id = UUID()
    expires_at = DateTime(about="The end of the link.")


class SignInPreview(Answer):
    """The address of a link, and the player who signs in with it."""

    address = String()
    player = Nested(Player, null=True)
    restores = Boolean(about="The link undoes a change: the account gets this address back.")


class SignedIn(NewGuest):
    """The account, with a token of this device that is shown only once."""

    id = UUID(about="The token's.")
    device_key = String(
        about="With it, the next link for this address is mailed even if strangers have asked for too many."
    )


class Device(Token):
    """A device on which a player is signed in: a token, without the token itself."""

    device = String(null=True, about="What it was called at signing in.")
    current = Boolean(about="This request has this token.")
    watch = Boolean(about="It is a link with which anybody may watch `game`, no device.")


DeviceList = page_of(Device, "DeviceList", "A page of valid tokens, newest first.")


class OwnInvitation(Answer):
    """An open seat to which I am invited."""

    seat = Count()
    game = Nested(GameSummary)


class OwnInvitations(Answer):
    """The seats to which I am invited, newest first."""

    items = List(Nested(OwnInvitation))


class Key(Credential):
    """An app key, without the key itself."""

    scopes = List(Choice(*SCOPES))
    parent = UUID(null=True, about="The key that created it; null if it was created on the command line.")
    name = String(null=True, about="What its creator called it.")
    prefix = String(null=True, about="Its first characters; null for keys of earlier versions.")
    last_used_at = DateTime(null=True, about="When it was last used, about to the minute.")


class NewKeyShown(Key):
    """An app key, which is shown only once.

    Repeated answers of earlier versions have no name and no prefix.
    """

    key = String()
    name = String(null=True, optional=True, about="What its creator called it.")
    prefix = String(null=True, optional=True, about="Its first characters, which lists show.")
    last_used_at = DateTime(null=True, optional=True, about="Null: it was not used yet.")


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


class Specification(OpenAnswer):
    """An OpenAPI document."""

    openapi = String()


class Health(Answer):
    """The state of the service."""

    status = Choice("ok")

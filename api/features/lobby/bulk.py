"""Several games at once: all of them, or none."""

from __future__ import annotations

from api.context import Context
from api.core.errors import BadRequest, InvalidOptions, NotFound, UnknownPlayer
from api.core.json import Json
from api.games import acting, games
from api.games.acting import Act
from api.games.saving import save
from api.games.views import visibility_of
from api.http import idempotency
from api.store.labels import unique


def create_all(context: Context, requests: list[games.GameRequest]) -> Json:
    """Create all these games, or none of them; a worker lets their bots begin.

    Raises what the creation of one game raises; errors name the place of the game.
    """
    with unique(context.session, context.app_id, *requests), idempotency.transaction(context):
        acts = [_make_one(context, number, each) for number, each in enumerate(requests)]
        return idempotency.keep(context, {"items": [acting.game_only(act) for act in acts]})


def _make_one(context: Context, number: int, request: games.GameRequest) -> Act:
    place = f"games.{number}"
    if request["webhook"] is not None:
        raise BadRequest({f"{place}.webhook": ["Create webhooks of these games one by one."]})
    try:
        game = games.make(context, request, host=None)
    except BadRequest as error:
        raise BadRequest(_placed(place, error.members["errors"])) from None
    except InvalidOptions as error:
        words = f"{place}: {error.detail}"
        raise InvalidOptions(words, errors=_placed(place, error.members["errors"])) from None
    except UnknownPlayer as error:
        (field,) = error.members["errors"]
        raise UnknownPlayer(f"{place}.{field}") from None
    except NotFound as error:
        raise NotFound(f"{place}: {error.detail}") from None
    save(context, game)
    return Act(context, game, visibility_of(context.caller, game), None, game.created_at)


def _placed(place: str, errors: dict[str, list[str]]) -> dict[str, list[str]]:
    return {f"{place}.{field}": messages for field, messages in errors.items()}

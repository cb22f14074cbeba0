"""Play a whole game with the generated Python client: play.py URL APP_KEY URL APP_KEY RULESET SEATS SEED.

The record is sent to the second server. Prints the end of the game as JSON. Types are narrowed by checks,
never by casts.
"""

import json
import random
import sys
from uuid import UUID

from card_referee_client import AuthenticatedClient
from card_referee_client.api.games import create_game
from card_referee_client.api.moves import append_move, list_legal_moves
from card_referee_client.api.players import create_player, create_token
from card_referee_client.api.records import create_game_from_record, get_record, verify_game
from card_referee_client.models import (
    AnyRecord,
    BiscaLegalMoves,
    BotSeat,
    CatsAndDogsLegalMoves,
    DogCardsLegalMoves,
    Game,
    GameRecord,
    LandlordLegalMoves,
    MauMauLegalMoves,
    Moved,
    NewBiscaGame,
    NewCatsAndDogsGame,
    NewDogCardsGame,
    NewDogCardsGameOptions,
    NewLandlordGame,
    NewMauMauGame,
    NewMove,
    NewPalaceGame,
    NewPedroGame,
    NewPiesGame,
    NewPiesGameOptions,
    NewPlayer,
    NewToken,
    NewTokenShown,
    NewTrucoGame,
    OpenSeat,
    PalaceLegalMoves,
    PedroLegalMoves,
    PiesLegalMoves,
    Player,
    PlayerSeat,
    TrucoLegalMoves,
    Verification,
)

NewGame = (
    NewBiscaGame
    | NewCatsAndDogsGame
    | NewDogCardsGame
    | NewLandlordGame
    | NewMauMauGame
    | NewPalaceGame
    | NewPedroGame
    | NewPiesGame
    | NewTrucoGame
)
LegalMoves = (
    BiscaLegalMoves
    | CatsAndDogsLegalMoves
    | DogCardsLegalMoves
    | LandlordLegalMoves
    | MauMauLegalMoves
    | PalaceLegalMoves
    | PedroLegalMoves
    | PiesLegalMoves
    | TrucoLegalMoves
)


class Unexpected(Exception):
    """The server sent an unexpected answer."""


def sit_down(url: str, host: AuthenticatedClient, name: str) -> tuple[UUID, AuthenticatedClient]:
    """Create a player and its client."""
    player = create_player.sync(client=host, body=NewPlayer(name=name))
    if not isinstance(player, Player):
        raise Unexpected(player)
    shown = create_token.sync(player.id, client=host, body=NewToken())
    if not isinstance(shown, NewTokenShown):
        raise Unexpected(shown)
    return player.id, AuthenticatedClient(base_url=url, token=shown.token)


def new_game(ruleset: str, seats: list[BotSeat | OpenSeat | PlayerSeat]) -> NewGame:
    """Return the body for a new game of the ruleset."""
    match ruleset:
        case "bisca":
            return NewBiscaGame("bisca", seats)
        case "cats_and_dogs":
            return NewCatsAndDogsGame("cats_and_dogs", seats)
        case "dog_cards":
            return NewDogCardsGame("dog_cards", seats, NewDogCardsGameOptions(turn_limit=100))
        case "landlord":
            return NewLandlordGame("landlord", seats)
        case "mau_mau":
            return NewMauMauGame("mau_mau", seats)
        case "palace":
            return NewPalaceGame("palace", seats)
        case "pedro":
            return NewPedroGame("pedro", seats)
        case "pies":
            return NewPiesGame("pies", seats, NewPiesGameOptions(move_limit=300))
        case "truco":
            return NewTrucoGame("truco", seats)
    raise ValueError(ruleset)


def begin(host: AuthenticatedClient, ruleset: str, players: list[UUID]) -> Game:
    """Create a game of these players."""
    seats: list[BotSeat | OpenSeat | PlayerSeat] = [PlayerSeat(player) for player in players]
    game = create_game.sync(client=host, body=new_game(ruleset, seats))
    if not isinstance(game, Game):
        raise Unexpected(game)
    return game


def play(game: Game, clients: list[AuthenticatedClient], choose: random.Random) -> tuple[Game, int]:
    """Play legal moves to the end; return the game and the number of moves."""
    moves = 0
    while game.status == "running":
        player = clients[game.to_act[0]]
        legal = list_legal_moves.sync(game.id, client=player)
        if not isinstance(legal, LegalMoves) or legal.ruleset != game.ruleset:
            raise Unexpected(legal)
        body = NewMove(move=choose.choice(legal.moves))
        done = append_move.sync(game.id, client=player, body=body, if_match=f'"{legal.version}"')
        if not isinstance(done, Moved):
            raise Unexpected(done)
        game, moves = done.game, moves + 1
    return game, moves


def carry_over(record: GameRecord, elsewhere: AuthenticatedClient) -> bool:
    """Import a record elsewhere and download it there; return whether the log is the same and verifies."""
    game = create_game_from_record.sync(client=elsewhere, body=AnyRecord.from_dict(record.to_dict()))
    if not isinstance(game, Game):
        raise Unexpected(game)
    again = get_record.sync(game.id, client=elsewhere)
    verified = verify_game.sync(game.id, client=elsewhere)
    if not isinstance(again, GameRecord) or not isinstance(verified, Verification):
        raise Unexpected(again, verified)
    return verified.ok and game.origin == "imported" and again.entries == record.entries


def main() -> None:
    """Play, read the record, and verify it here and elsewhere."""
    url, key, other_url, other_key, ruleset, seats, seed = sys.argv[1:]
    host = AuthenticatedClient(base_url=url, token=key)
    people = [sit_down(url, host, f"Player {n}") for n in range(int(seats))]
    game = begin(host, ruleset, [player for player, _ in people])
    game, moves = play(game, [client for _, client in people], random.Random(int(seed)))
    record = get_record.sync(game.id, client=host)
    verified = verify_game.sync(game.id, client=host)
    if not isinstance(record, GameRecord) or not isinstance(verified, Verification):
        raise Unexpected(record, verified)
    played = [move.to_dict() for move in record.moves]
    ok = verified.ok and carry_over(record, AuthenticatedClient(base_url=other_url, token=other_key))
    print(json.dumps({"status": game.status, "moves": moves, "record": len(played), "ok": ok}))


main()

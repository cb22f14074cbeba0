"""What the API answers, as JSON Schema (2020-12): tests hold every answer against these."""

from __future__ import annotations

from typing import Any

from api.schemas.requests import ORIGINS, SCOPES, STATUSES, VISIBILITIES

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
INTEGER: Schema = {"type": "integer"}
ID: Schema = {"type": "string", "format": "uuid"}
TIME: Schema = {"type": "string", "format": "date-time"}
# Within entries a time is text that is hashed as it stands: with a format, clients would write it anew.
ENTRY_TIME: Schema = {
    "type": "string",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$",
}
DURATION: Schema = {"type": "string", "format": "duration"}
HEX: Schema = {"type": "string", "pattern": "^[0-9a-f]*$"}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
OBJECT: Schema = {"type": "object", "additionalProperties": True}
ENTRY_TYPES = (
    "created",
    "joined",
    "left",
    "started",
    "moved",
    "said",
    "resigned",
    "timed_out",
    "finished",
    "cancelled",
    "taken_back",
    "imported",
)


def ref(name: str) -> Schema:
    """Point to another schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Schema) -> Schema:
    """Or null."""
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"oneOf": [schema, {"type": "null"}]}


def array(items: Schema) -> Schema:
    """Describe a list."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """Describe an object with any keys."""
    return {"type": "object", "additionalProperties": values}


def choice(*values: str) -> Schema:
    """One of a few strings."""
    return {"type": "string", "enum": list(values)}


def shape(description: str, optional: Schema | None = None, /, **members: Schema) -> Schema:
    """Describe an object: `members` are always there, `optional` ones may be."""
    return {
        "type": "object",
        "description": description,
        "properties": {**members, **(optional or {})},
        "required": list(members),
    }


def _with(schema: Schema, members: dict[str, Schema]) -> Schema:
    """Add members that may be there."""
    return {**schema, "properties": {**schema["properties"], **members}}


def listing(name: str, description: str) -> Schema:
    """Describe a page of a list."""
    cursor = {**nullable(STRING), "description": "The cursor of the next page; null on the last one."}
    return shape(description, items=array(ref(name)), next=cursor)


ORIGIN: Schema = {
    "origin": {**choice(*ORIGINS), "description": "Dealt by this server, or imported from a record."},
    "imported_by": {**nullable(ref("AppName")), "description": "The app that imported the game."},
}
SEATS = array(COUNT)
MOVES = array(ref("Move"))
RESULT = nullable(ref("Result"))
GAME: Schema = {
    "id": ID,
    "ruleset": STRING,
    "ruleset_version": COUNT,
    "options": OBJECT,
    "status": choice(*STATUSES),
    "version": {**COUNT, "description": "The seq of the last entry of the log; the ETag."},
    "visibility": choice(*VISIBILITIES),
    "pace": nullable(ref("Pace")),
    "commitment": {**HASH, "description": "SHA-256 of the seed, which is shown once the game is over."},
    "seats": array(ref("Seat")),
    "to_act": {**SEATS, "description": "The seats that the game waits for."},
    "result": RESULT,
    "created_at": TIME,
    "updated_at": TIME,
    **ORIGIN,
}
TABLE: Schema = {
    "ruleset": STRING,
    "version": COUNT,
    "seats": COUNT,
    "options": OBJECT,
    "phase": STRING,
    "to_act": SEATS,
}

GAMES: dict[str, Schema] = {
    "Game": shape(
        "A game as the caller sees it.",
        **GAME,
        viewer=shape("Who looks.", seats={**SEATS, "description": "The seats that the caller holds."}),
        view=nullable(ref("View")),
    ),
    "GameSummary": shape("A game without its view.", **GAME),
    "GameList": listing("GameSummary", "A page of games, newest first."),
    "Seat": shape(
        "A seat of a game.",
        {
            "invite": {**STRING, "description": "Lets a player take the seat; shown to the maker only."},
            "reserve": {**DURATION, "description": "What is left of its reserve."},
            "vacation_days": {**COUNT, "description": "How many days of vacation it has left."},
            "away_until": {**nullable(TIME), "description": "The end of its last vacation."},
            "name": {**STRING, "description": "Who sat there, where an imported game knows only the name."},
        },
        seat=COUNT,
        player=nullable(ref("PlayerName")),
        bot=nullable(STRING),
        open=BOOLEAN,
        deadline=nullable(TIME),
    ),
    "AppName": shape("An app.", id=ID, name=STRING),
    "PlayerName": shape("A player, by the name it sat down with.", id=ID, name=STRING),
    "Pace": shape(
        "How fast moves have to come.",
        per_move=DURATION,
        on_timeout=choice("resign", "random_move"),
        warn_before=nullable(DURATION),
        reserve={**nullable(DURATION), "description": "What a seat may use beyond, over the whole game."},
        quiet_weekends={**BOOLEAN, "description": "Saturdays and Sundays (UTC) do not count."},
        vacation_days={**COUNT, "description": "How many days of vacation each seat may take."},
    ),
    "Result": {
        **shape("How a game ended.", winners=SEATS, losers=SEATS, reason=STRING),
        "additionalProperties": True,
    },
    "View": shape(
        "A position as one viewer may see it: a count stands for cards that it may not see, null for one.",
        **TABLE,
        zones=mapping({"oneOf": [array(nullable(STRING)), shape("Hidden cards.", count=COUNT)]}),
        facts=OBJECT,
        scores=array(INTEGER),
        result=RESULT,
    ),
    "LegalMoves": shape(
        "What a seat may play now.",
        version=COUNT,
        seat=COUNT,
        moves=MOVES,
        complete={**BOOLEAN, "description": "False where the ruleset accepts more than is listed."},
    ),
    "Moved": shape("What was appended, and the game after it.", entry=ref("Entry"), game=ref("Game")),
    "Said": shape("What was said.", entry=ref("Entry"), version=COUNT),
    "DryRun": shape("What the referee would say.", verdict=ref("Verdict"), version=COUNT),
    "Entry": shape(
        "An entry of a game's log. `hash` is SHA-256 over the previous hash and the canonical JSON of all "
        "members but `hash` and `private`.",
        {
            "sealed": {**HASH, "description": "A salted hash of the part that not everyone sees."},
            "private": {**mapping(OBJECT), "description": "What the caller's seats see beyond the rest."},
            "seat": nullable(COUNT),
            "player": nullable(ref("PlayerName")),
            "bot": nullable(STRING),
            "entropy": STRING,
            "move": OBJECT,
            "transfers": array(ref("Transfer")),
            "text": STRING,
            "result": RESULT,
            "seed": HEX,
            "ruleset": STRING,
            "ruleset_version": COUNT,
            "options": OBJECT,
            "seats": COUNT,
            "visibility": choice(*VISIBILITIES),
            "pace": nullable(ref("Pace")),
            "commitment": HASH,
            "log": {**COUNT, "description": "Which kind of log this is; 1 where it is missing."},
            "scores": {**array(INTEGER), "description": "The scores, where the move has changed them."},
            "won_by": {**COUNT, "description": "The seat that the move gives a trick to."},
            "deadlines": {
                **mapping(ENTRY_TIME),
                "description": "Seat → deadline of a turn that begins.",
            },
            "reserve": {**mapping(DURATION), "description": "Seat → what is left of its reserve."},
            "of": {**COUNT, "description": "The entry whose move is taken back, with all that followed."},
            "take_back": {**OBJECT, "description": "Asks to take back the move of entry `of`, or answers."},
            "origin": choice("imported"),
            "imported_by": {**ref("AppName"), "description": "The app that imported the game."},
            "replacement": {**OBJECT, "description": "Agrees that a player or a bot take over a seat."},
            "replaced": {**BOOLEAN, "description": "Handed over while the game runs."},
            "order": {**BOOLEAN, "description": "Played from the seat's standing orders."},
            "random": {**BOOLEAN, "description": "Made for a seat whose time was over."},
            "vacation": shape(
                "Days off, until when, and how many are left.", days=COUNT, until=ENTRY_TIME, left=COUNT
            ),
        },
        seq={"type": "integer", "minimum": 1},
        type=choice(*ENTRY_TYPES),
        at=ENTRY_TIME,
        hash=HASH,
    ),
    "EntryList": _with(listing("Entry", "A page of a log, oldest entry first."), ORIGIN),
    "ListedMove": shape(
        "A move that stands, and the entry that it was made by.",
        seat=COUNT,
        move={"description": "The whole of it, or what the caller may see."},
        seq={"type": "integer", "minimum": 1},
        at=ENTRY_TIME,
    ),
    "GameRecord": {
        **shape(
            "A game as a file that any replay understands, with its log.",
            {
                "ended": shape(
                    "How it ended, if not by a move.",
                    {"seats": {**SEATS, "description": "All who ran out of time, where several did."}},
                    type=STRING,
                    seat=nullable(COUNT),
                ),
                "chance": {**array(OBJECT), "description": "Every shuffle and pick, once the game is over."},
            },
            format={"type": "string", "const": "card-referee/1"},
            ruleset=STRING,
            version=COUNT,
            seats=COUNT,
            options=OBJECT,
            seed={**nullable(HEX), "description": "Null until the game is over."},
            entropy=array(STRING),
            **ORIGIN,
            moves=array(ref("ListedMove")),
            result=RESULT,
            commitment=HASH,
            entries=array(ref("Entry")),
        ),
        "additionalProperties": True,
    },
}

CHECK = shape(
    "A check: whether it holds, what was found, and the first entry that fails.",
    name=STRING,
    ok=BOOLEAN,
    detail=STRING,
    seq=nullable({"type": "integer", "minimum": 1}),
)
GAMES["Verification"] = shape(
    "What of a game holds and what does not.", ok=BOOLEAN, **ORIGIN, checks=array(CHECK)
)

REFEREE: dict[str, Schema] = {
    "Verdict": shape(
        "The referee's answer to a move.",
        {
            "rule": {**STRING, "description": "The id of the rule that the move breaks."},
            "reason": STRING,
            "link": {**STRING, "description": "Where the rule's text stands."},
        },
        legal=BOOLEAN,
    ),
    "Transfer": {
        **shape("Cards that moved; null for a card that the viewer may not see, or for no zone."),
        "properties": {
            "from": nullable(STRING),
            "to": nullable(STRING),
            "cards": array(nullable(STRING)),
        },
        "required": ["from", "to", "cards"],
    },
    "Position": shape(
        "The whole state of a game, nothing hidden.",
        **TABLE,
        zones=mapping(array(STRING)),
        facts=OBJECT,
        scores=array(INTEGER),
        result=RESULT,
    ),
    "Judged": shape(
        "A verdict; of a legal move also the next position and how the cards got there.",
        {"position": ref("Position"), "transfers": array(ref("Transfer"))},
        verdict=ref("Verdict"),
    ),
    "PositionMoves": shape("What a seat may play in a position.", moves=MOVES, complete=BOOLEAN),
    "Replayed": shape(
        "How far a record could be replayed.",
        ok={**BOOLEAN, "description": "Every move is legal and the result is the one that the record says."},
        moves={**COUNT, "description": "How many moves were legal."},
        position=ref("Position"),
        result=RESULT,
        refused=nullable(
            shape("The first illegal move.", n=COUNT, seat=COUNT, move={}, verdict=ref("Verdict"))
        ),
    ),
    "RulesetSummary": shape(
        "A game on offer.", id=STRING, version=COUNT, versions=array(COUNT), name=STRING, seats=SEATS
    ),
    "RulesetList": listing("RulesetSummary", "The games on offer."),
    "Ruleset": shape(
        "A game on offer, with its rules.",
        id=STRING,
        version=COUNT,
        versions=array(COUNT),
        name=STRING,
        seats={**SEATS, "description": "How many seats may play."},
        options={**OBJECT, "description": "The options, as JSON Schema."},
        moves={**mapping(OBJECT), "description": "Each type of move, as JSON Schema."},
        phases={**mapping(array(STRING)), "description": "The types of move that each phase knows."},
        complete=BOOLEAN,
        facts={**mapping(OBJECT), "description": "Each fact, as JSON Schema."},
        cards=array(
            shape(
                "A card.",
                id=STRING,
                name=STRING,
                suit=nullable(STRING),
                rank=STRING,
                colour=STRING,
                points={**nullable(INTEGER), "description": "Null where that depends, or cards have none."},
            )
        ),
        teams=array(
            shape(
                "Who plays with whom, at a table of so many seats and with these options.",
                seats=COUNT,
                options=OBJECT,
                teams=array(SEATS),
            )
        ),
        zones=array(shape("A zone.", name=STRING, per_seat=BOOLEAN, ordered=BOOLEAN, seen_by=STRING)),
        rules=array(shape("A rule.", id=STRING, text=STRING, refuses=BOOLEAN)),
        text={**STRING, "description": "The rules as Markdown."},
    ),
}

TIMES: Schema = {"created_at": TIME, "expires_at": nullable(TIME)}
PARENT: Schema = {**nullable(ID), "description": "The key that made it; null for one from the command line."}
PEOPLE: dict[str, Schema] = {
    "Player": shape("A player of an app.", id=ID, name=STRING, created_at=TIME),
    "PlayerList": listing("Player", "A page of players, newest first."),
    "NewTokenShown": shape("A player token, shown this once.", id=ID, token=STRING, **TIMES),
    "Token": shape("What is known of a player token.", id=ID, **TIMES, revoked_at=nullable(TIME)),
    "NewGuest": shape(
        "A guest of this server, and a token, shown this once.",
        player=ref("Player"),
        token=STRING,
        expires_at=TIME,
    ),
    "NewSeatGuest": shape(
        "A guest who has sat down, and a token, shown this once; it ends with the game.",
        player=ref("Player"),
        token=STRING,
        expires_at=nullable(TIME),
        game=ref("Game"),
    ),
    "TokenList": listing("Token", "A page of tokens, newest first."),
    "Key": shape(
        "What is known of an app key.",
        id=ID,
        **TIMES,
        revoked_at=nullable(TIME),
        scopes=array(choice(*SCOPES)),
        parent=PARENT,
    ),
    "NewKeyShown": shape(
        "An app key, shown this once.",
        id=ID,
        **TIMES,
        revoked_at=nullable(TIME),
        scopes=array(choice(*SCOPES)),
        parent=PARENT,
        key=STRING,
    ),
    "KeyList": listing("Key", "A page of keys, newest first."),
    "Me": shape(
        "Whose token this is.",
        type=choice("app", "player"),
        app=shape("The app.", id=ID, name=STRING),
        player=nullable(ref("Player")),
        scopes=array(STRING),
        expires_at=nullable(TIME),
    ),
    "Turn": shape(
        "A seat of mine that a game waits for.",
        game=ID,
        ruleset=STRING,
        seat=COUNT,
        version=COUNT,
        since=TIME,
        deadline=nullable(TIME),
    ),
    "TurnList": listing("Turn", "A page of turns, the most urgent deadline first."),
    "Health": shape("How the service does.", status=choice("ok")),
}

SCHEMAS: dict[str, Schema] = {**GAMES, **REFEREE, **PEOPLE}

"""A game's moves and its table in words, made of what a viewer is shown and of nothing else.

Only what is known to be a card, a suit, a number or a word of the rules is written: a text that a player has
chosen, such as what is said in a move, never is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import referee
import referee.positions
import referee.texts
from api.core import languages
from api.features.mail.phrases import many, mark, translate
from api.features.mail.words import capital, listed, name_of_seat

SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
FRENCH = re.compile("([2-9TJQKA])([CDHS])")
PLACEHOLDER = re.compile(r"\{(\w*)\}")
SHOWN = 13  # cards of a zone that are listed; of a larger one the last few are
LAST = 4
HAND = "hand"  # the zone whose own cards are all listed
NEW_HAND = 2  # cards that come from the pack at once: more than somebody draws


class SeatNames(NamedTuple):
    """Who sits where: names for a mail, and the viewer's own seats."""

    names: Sequence[str]
    own: Sequence[int]

    def name(self, seat: Any) -> str:
        """Return the name of a seat's player."""
        return (
            self.names[seat] if type(seat) is int and 0 <= seat < len(self.names) else translate("a player")
        )

    def before(self, entry: Mapping[str, Any]) -> SeatNames:
        """Return who sat there at an entry, if these sat there after it: it names the holder of its seat."""
        player, seat = entry.get("player"), entry.get("seat")
        if seat is None or not (player or entry.get("bot")):
            return self
        name = name_of_seat(player["name"] if player else None, seat, bot=True)
        return self._replace(names=[name if n == seat else other for n, other in enumerate(self.names)])


class RulesetWords(NamedTuple):
    """What the words need of a ruleset, and its `translated` texts by their English."""

    cards: Mapping[str, str]
    facts: Mapping[str, Any]
    teams: Sequence[Mapping[str, Any]]
    moves: Mapping[str, Mapping[str, Any]]
    zones: Mapping[str, str]
    translated: Mapping[str, str]

    def words(self, name: str) -> str:
        """Return a name of the rules in words, in the language of the mail."""
        return self.say(words(name))

    def say(self, text: str) -> str:
        """Return a text of the rules in the language of the mail."""
        return self.translated.get(text, text)

    def value(self, value: Any) -> str | None:
        """Return a card, a number or a word of the rules as text; None for anything else."""
        if type(value) is int:
            return str(value)
        if type(value) is not str:
            return None
        said = self.cards.get(value) or SUITS.get(value)
        return said or (self.words(value) if value in self.moves else None)


@lru_cache(64)
def rules_of(ruleset: str, version: int, language: str = languages.ENGLISH) -> RulesetWords:
    """Return the words of a ruleset, which must be installed, in a language if it has it."""
    rules = referee.find(ruleset, version)
    translated = referee.texts.words(ruleset, language, version)
    catalogue = referee.texts.card_catalogue(rules)
    cards = {card["id"]: _card(card["id"], translated.get(card["name"], card["name"])) for card in catalogue}
    called = {
        name: zone.called or words(name) for name, zone in referee.positions.layout(rules.State).zones.items()
    }
    zones = {
        name: translated.get(text)
        or translated.get(f"zone {words(name)}")
        or translated.get(words(name))
        or text
        for name, text in called.items()
    }
    return RulesetWords(
        cards, referee.texts.facts(rules), referee.texts.teams(rules), rules.MOVES, zones, translated
    )


def _card(card: str, name: str) -> str:
    match = FRENCH.fullmatch(card)
    return match[1].replace("T", "10") + SUITS[match[2]] if match else name


def words(name: str) -> str:
    """Return a name of the rules in words: `hand_number` is a hand number, `row1` a row 1."""
    return re.sub(r"([a-z])(\d)", r"\1 \2", name.replace("_", " "))


# --- moves ------------------------------------------------------------------------------------------


def happened(entries: Sequence[Mapping[str, Any]], rules: RulesetWords, seats: SeatNames) -> list[str]:
    """Return a sentence for each of these entries that players want to know, as the viewer is shown them.

    They are the newest, after which `seats` are those of now; each is told with the names of its time.
    """
    told = []
    for entry in reversed(entries):
        seats = seats.before(entry)
        if sentence := _sentence(entry, rules, seats):
            told.append(sentence)
    return told[::-1]


def _sentence(entry: Mapping[str, Any], rules: RulesetWords, seats: SeatNames) -> str | None:
    kind, who = entry["type"], seats.name(entry.get("seat"))
    simple = {
        "resigned": mark("{who} gives up."),
        "timed_out": mark("{who} runs out of time."),
        "joined": mark("{who} takes the seat."),
        "taken_back": mark("{who} takes back a move."),
        "timeout_undone": mark("A time-out does not count."),
    }
    if kind != "moved":
        return translate(simple[kind], who=who) if kind in simple else None
    shares = entry.get("private", {}).values()
    move = next((share["move"] for share in shares if share.get("move")), entry["move"])
    said = _told(move, entry, rules, seats) or _move(move, rules, seats)
    if said is None:
        return None
    flags = [rules.translated.get(f"did {words(move['type'])} {name}") for name in move if move[name] is True]
    said = listed([said, *(flag for flag in flags if flag)])
    if entry.get("random"):
        said = translate("{said} (made automatically)", said=said)
    return f"{who} {said}.{_outcome(entry, seats)}"


def _told(
    move: Mapping[str, Any], entry: Mapping[str, Any], rules: RulesetWords, seats: SeatNames
) -> str | None:
    """Return what somebody does in the ruleset's own sentence; None if it has none or lacks a part."""
    kind = str(move.get("type"))
    own = rules.translated.get(f"did {words(kind)}", "")
    fields = rules.moves.get(kind, {})
    parts = {
        name: _part(name, move, entry, rules, seats)
        for name in PLACEHOLDER.findall(own)
        if name in move and name in fields
    }
    known = own and all(parts.get(name) for name in PLACEHOLDER.findall(own))
    return PLACEHOLDER.sub(lambda match: parts[match[1]], own) if known else None


def _part(
    name: str, move: Mapping[str, Any], entry: Mapping[str, Any], rules: RulesetWords, seats: SeatNames
) -> str:
    """Return a member of a move in words: cards, a seat, a zone, or what lay at a place; "" if not known."""
    fields, value = rules.moves[move["type"]], move[name]
    declared = fields[name]
    zones = [zone for field in fields.values() for zone in field.zones.split() if f"{{{name}}}" in zone]
    if declared.role == "seat":
        return seats.name(value)
    if zones:
        base, _, owner = zones[0].format_map(move).partition(".")
        zone = rules.zones.get(base, "")
        return (
            translate("{name}’s {zone}", name=seats.name(int(owner)), zone=zone) if owner and zone else zone
        )
    if declared.role == "position" and declared.zones:
        taken = [card for moved in entry.get("transfers", ()) if moved["from"] for card in moved["cards"]]
        return rules.cards.get(taken[0], "") if taken else ""
    texts = [rules.value(each) for each in (value if type(value) is list else [value])]
    return listed([text for text in texts if text]) if texts and all(texts) else ""


def _move(move: Mapping[str, Any], rules: RulesetWords, seats: SeatNames) -> str | None:
    """Return what somebody does, if no sentence is known for it: a verb, and each member that is known.

    Those are cards, suits, seats and numbers. Return None if it has nothing but a text of the player's:
    players only talk with such moves.
    """
    cards, parts, calls, talks = dict[str, str](), list[str](), "", False
    for name, value in move.items():
        values = value if type(value) is list else [value]
        known = [text for each in values if (text := rules.value(each)) is not None]
        if name == "type" or len(known) != len(values) or not known:
            talks = talks or (name != "type" and type(value) is str)
        elif name == "suit":
            calls = known[0]
        elif name in ("seat", "owner"):
            parts.append(listed([seats.name(each) for each in values]))
        elif type(values[0]) is int:
            parts.append(
                f"{value} {rules.words(name)}" if name.endswith("s") else f"{rules.words(name)} {value}"
            )
        else:
            cards[name] = listed(known)
    if len(cards) > 1:  # one card for another
        given, *others = cards.values()
        parts.insert(0, translate("{given} for {taken}", given=given, taken=listed(others)))
    else:
        parts[:0] = cards.values()
    if calls and not parts:
        parts, calls = [calls], ""
    if talks and not parts:
        return None
    verb = rules.say(_third_person(words(str(move.get("type", "moves")))))
    said = " ".join((verb if "{}" in verb else f"{verb} {{}}").replace("{}", " ".join(parts)).split())
    return translate("{said} and calls {suit}", said=said, suit=calls) if calls else said


def _third_person(verb: str) -> str:
    """Return what the page calls what somebody does: "plays" of "play", "picks up" of "pick up"."""
    first, *rest = verb.split(" ")
    if re.search("[^aeiou]y$", first):
        first = f"{first[:-1]}ies"
    else:
        first += "es" if re.search("(s|x|z|ch|sh)$", first) else "s"
    return " ".join([first, *rest])


def _outcome(entry: Mapping[str, Any], seats: SeatNames) -> str:
    lines = []
    if entry.get("won_by") is not None:
        lines.append(translate("The trick goes to {who}.", who=seats.name(entry["won_by"])))
    if entry.get("scores"):
        lines.append(translate("Scores: {scores}.", scores=_scores(entry["scores"], seats)))
    dealt = [moved for moved in entry.get("transfers", ()) if moved["from"] is None]
    if len(dealt) >= NEW_HAND:
        lines.append(translate("A new hand is dealt."))
    return "".join(f" {sentence}" for sentence in lines)


# --- the table --------------------------------------------------------------------------------------


def table(view: Mapping[str, Any], rules: RulesetWords, seats: SeatNames) -> list[str]:
    """Return what a view shows, in lines: the own cards first, then the table, then the others."""
    own, common, others = [], [], dict[int, list[str]]()
    for name, cards in view["zones"].items():
        base, _, number = name.partition(".")
        mine, called = bool(number) and int(number) in seats.own, rules.zones[base]
        text = _zone(cards, rules, whole=mine and base == HAND)
        if not number:
            common += [f"{capital(called)}: {text}"] if text else []
        elif mine:
            whose = f"{seats.name(int(number))}: {called}"
            if len(seats.own) == 1:
                whose = translate("Your {zone}", zone=called)
            own += [f"{whose}: {text or translate('empty')}"] if text or base == HAND else []
        else:
            others.setdefault(int(number), []).extend([f"{called}: {text}"] if text else [])
    rest = [f"{seats.name(seat)}: {'; '.join(zones)}" for seat, zones in others.items() if zones]
    facts = [fact for name, value in view["facts"].items() for fact in _fact(name, value, rules, seats, view)]
    scores = [f"{translate('Scores')}: {_scores(view['scores'], seats)}"] if any(view["scores"]) else []
    return [*own, *common, *facts, *rest, *scores]


def _zone(cards: Any, rules: RulesetWords, *, whole: bool) -> str:
    """Return the cards of a zone that the viewer sees, and how many it does not."""
    if type(cards) is not list:
        return _count(cards["count"])
    visible = [rules.cards[card] for card in cards if card is not None]
    if whole or len(visible) <= SHOWN:
        unseen = len(cards) - len(visible)
        return ", ".join([*visible, *([_count(unseen)] if unseen else [])])
    return translate("{cards}, the last {last}", cards=_count(len(cards)), last=", ".join(visible[-LAST:]))


def _count(number: int) -> str:
    return many(number, "1 card", "{number} cards") if number else ""


def _scores(scores: Sequence[int], seats: SeatNames) -> str:
    return ", ".join([f"{seats.name(seat)} {score}" for seat, score in enumerate(scores)])


def _fact(name: str, value: Any, rules: RulesetWords, seats: SeatNames, view: Mapping[str, Any]) -> list[str]:
    """Return a fact in the words of its ruleset; nothing if it has no words or no value."""
    private = re.fullmatch(r"private\.(\d+)\.(.+)", name)
    declared = rules.facts.get(private[2] if private else name, {})
    said, role = declared.get("x-words"), declared.get("x-role", "")
    empty = value in (None, False, 0, [], "") or (type(value) is list and all(each is None for each in value))
    if said is None or empty or (private and int(private[1]) not in seats.own):
        return []
    by_value = {"": said} if type(said) is str else said
    if type(value) is not list and _key(value) in by_value:
        return [rules.say(by_value[_key(value)])]
    if "" not in by_value:
        return []
    about = _About(rules, seats, view, role, by_value, _enumerated(declared))
    text = PLACEHOLDER.sub(lambda match: about.part(value, match[1]), rules.say(by_value[""]))
    return [text]


def _key(value: Any) -> str:
    """Return a value as the texts by value name it."""
    return "null" if value is None else str(value).lower() if type(value) is bool else str(value)


def _enumerated(schema: Any) -> set[str]:
    """Return the texts that a schema lists; no other text is a word of the rules."""
    if type(schema) is list:
        return {text for each in schema for text in _enumerated(each)}
    if type(schema) is not dict:
        return set()
    listed = {text for text in (*schema.get("enum", ()), schema.get("const")) if type(text) is str}
    return listed.union(*(_enumerated(inner) for inner in schema.values()))


class _About(NamedTuple):
    """What the words for a fact's value depend on."""

    rules: RulesetWords
    seats: SeatNames
    view: Mapping[str, Any]
    role: str
    by_value: Mapping[str, str]
    known: Collection[str]

    def part(self, value: Any, member: str) -> str:
        """Return the text for a placeholder: the value, or a member of it."""
        if not member:
            return self.text(value)
        inside = value.get(member) if type(value) is dict else None
        return self.seats.name(inside) if member == "seat" else self._plain(inside)

    def text(self, value: Any) -> str:
        """Return a value by its role."""
        if _key(value) in self.by_value and type(value) is not list:
            return self.rules.say(self.by_value[_key(value)])
        if type(value) is list:
            by_seat = len(value) == len(self.seats.names) and self.role not in ("seat", "team")
            return ", ".join([
                f"{self.seats.name(n)} {self.text(each)}" if by_seat else self.text(each)
                for n, each in enumerate(value)
                if each is not None or not by_seat
            ])  # fmt: skip
        if self.role == "seat":
            return self.seats.name(value)
        if self.role == "team":
            return self._team(value)
        return self._plain(value)

    def _plain(self, value: Any) -> str:
        return self.rules.value(value) or (
            self.rules.words(value) if type(value) is str and value in self.known else "–"
        )

    def _team(self, team: Any) -> str:
        options = self.view["options"]
        for table in self.rules.teams:
            fits = all(options.get(name) == value for name, value in table["options"].items())
            if table["seats"] == len(self.seats.names) and fits and type(team) is int:
                side = table["teams"][team]
                if set(side) & set(self.seats.own):
                    return translate("your team")
                return translate("{who}’s team", who=self.seats.name(side[0]))
        return translate("team {team}", team=team) if type(team) is int else "–"

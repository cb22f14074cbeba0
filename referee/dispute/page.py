"""A match as one self-contained HTML page, which can be printed.

First what was disputed, what the evidence says, and who would have to lie for it to be false. Then how the
match ended, when, and who held the seats; what identifies the file and the game, what is
guaranteed by whom, what others than the players did, and who agreed to what. Then every move with its time,
who saw which cards, the position as one seat saw it, what that seat could not have done instead and by which
rule, and how each deadline came about. The text of every rule follows. `report.html` is the template.
"""

import re
from collections.abc import Callable, Container, Iterator
from functools import cache
from html import escape
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

from referee.dispute import summary
from referee.dispute.proof import proof
from referee.dispute.story import Story
from referee.dispute.wording import in_words
from referee.dispute.words import (
    cards,
    count,
    isolated,
    listed,
    named,
    place,
    plain,
    seat_names,
    time,
    transfers,
    words,
)
from referee.engine.play import judge, legal_moves
from referee.engine.position import seats_of
from referee.engine.verdicts import Malformed, Refusal
from referee.engine.views import view
from referee.log.entries import GOING_BACK
from referee.log.record import Record, Step, read_record, read_seat, replay, steps
from referee.log.traces import traces
from referee.log.words import readable
from referee.texts.rulebook import rules
from referee.verification.assessment import Assessment, assess

LEGEND = "Hatched cards are those that this seat did not see."
MOST_PROPOSALS = 200
SILENT = ("created", "joined", "started", "moved", "finished")  # shown elsewhere on the page


class Shown(NamedTuple):
    """A move on the page; members that are not named so in the template are HTML."""

    n: int
    mine: bool
    move: Any
    refusal: Refusal | None
    instead: list[tuple[dict[str, Any], Refusal]]
    said: str
    who: str
    time: str
    transfers: str
    note: str
    saw: list[tuple[str, str]]


def dispute_report(
    data: Any,
    seat: int,
    *,
    found: Assessment | None = None,
    game: str | None = None,
    file: str | None = None,
) -> Iterator[str]:
    """Yield the pieces of an HTML report of a record, from the point of view of a seat. Raises Malformed.

    `found` is the verdict on it, if already found; `game` is its id and `file` the SHA-256 of its file, if
    known.
    """
    if type(data) is dict and data.get("seed") is None:
        raise Malformed("seed", "is not told yet: a match can be told when it is over")
    record = read_record(data)
    read_seat(seat, record.seats)
    assessment = found or assess(data)  # raises Malformed if it is not a log
    log = [entry for entry in data.get("entries") or () if type(entry) is dict]
    entries = readable(log, data.get("names"))
    names_at = seat_names(entries, record.seats)
    names = names_at[-1]
    walk = steps(record)
    dealt = next(walk)
    last = replay(record).state  # of another replay: this one has not begun
    ruleset = dealt.state.ruleset
    own = {n for n, move in enumerate(record.moves, 1) if move["seat"] == seat}
    moves = _Moves(walk, dealt, entries, names_at, seat, own)
    yield from _template()(
        seat=seat,
        names=names,
        legend=LEGEND,
        style=(files("referee.dispute") / "dispute.css").read_text("utf-8"),
        rules={"name": ruleset.NAME, "texts": rules(ruleset.ID, ruleset.VERSION)},
        result=last.result,
        winners=listed([isolated(names[winner]) for winner in (last.result or {}).get("winners", ())])
        or "nobody",
        ending=summary.ending(entries, names_at),
        holders=summary.holders(entries),
        players=listed([isolated(name) for name in names]),
        facts=_facts(record, dealt.state, names, seat),
        evidence=summary.evidence(assessment),
        liars=summary.liars(assessment),
        proof=proof(data, entries, game, file, assessment.receipts),
        found=assessment,
        others=[*traces(data)] if entries else [],
        acts_of_others=[*summary.acts_of_others(entries, names_at)],
        consents=[*summary.consents(entries, names_at)],
        deal=moves.deal,
        moves=moves,
    )


@cache
def _template() -> Callable[..., Iterator[str]]:
    """Return what fills in the template. Raises Malformed without Jinja2, which only this needs."""
    try:
        from jinja2 import Environment
    except ImportError:
        raise Malformed("", "reports need Jinja2, which the server has: pip install jinja2") from None
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "isolated": lambda text: Markup(isolated(str(text))),
        "plain": plain,
        "words": lambda text: words(str(text)),
        "cards": lambda value: Markup(cards(value)),
        "inline": lambda text: Markup(_inline(text)),
    }
    return environment.from_string((files("referee.dispute") / "report.html").read_text("utf-8")).generate


def _facts(record: Record, state: Any, names: list[str], seat: int) -> list[tuple[str, str]]:
    return [
        ("Rules", f"{escape(state.ruleset.ID)}, version {state.ruleset.VERSION}"),
        ("Seats", ", ".join(map(isolated, names))),
        ("Seen by", isolated(names[seat]) + ("" if names[seat] == f"Seat {seat}" else f", seat {seat}")),
        ("Options", escape(plain(state.options)) or "none"),
        ("Moves", str(len(record.moves))),
    ]


# --- the match --------------------------------------------------------------------------------------


class _Moves:
    """The moves, each read before the replay continues; `rest` is what follows the last one.

    `names` are those of the seats at the entry of each number; those of a record
    without a log stay the same.
    """

    def __init__(
        self,
        walk: Iterator[Step],
        dealt: Step,
        entries: list[dict[str, Any]],
        names: list[list[str]],
        seat: int,
        own: Container[int],
    ) -> None:
        """`own` are the numbers of the moves of the `seat`."""
        story = Story(len(names[0]))
        notes = [_notes(story.tell(entry, names[n])) for n, entry in enumerate(entries, 1)]
        kinds = [entry.get("type") for entry in entries]
        dealing = kinds.index("started") + 1 if "started" in kinds else len(entries)
        self._walk, self._state, self._names, self._seat = walk, dealt.state, names[-1], seat
        self._own = own
        self._between = _between(entries, notes, names)
        self.deal = transfers(dealt.transfers, dealt.state, names[dealing], seat)
        if "started" in kinds:
            self.deal += notes[dealing - 1]

    def __iter__(self) -> Iterator[Shown]:
        state, seat = self._state, self._seat
        before, instead = view(state, seat), _refused(state, seat) if 1 in self._own else []
        for step in self._walk:
            between = next(self._between, Between("", None, "", self._names))
            assert step.seat is not None
            assert step.verdict is not None
            yield Shown(
                step.n,
                step.n in self._own,
                step.move,
                step.verdict.refusal,
                instead,
                between.said,
                named(between.names, step.seat),
                time(between.at),
                transfers(step.transfers, state, between.names, seat),
                between.note,
                _saw(before, state, between.names),
            )
            before = view(state, seat)
            instead = _refused(state, seat) if step.n + 1 in self._own else []

    @property
    def rest(self) -> str:
        """What was said after the last move."""
        return "".join(between.said for between in self._between)


class Between(NamedTuple):
    """What was before a move, as HTML, its time, the notes on it, and the names of the seats then."""

    said: str
    at: Any
    note: str
    names: list[str]


def _between(entries: list[dict[str, Any]], notes: list[str], names: list[list[str]]) -> Iterator[Between]:
    """Yield what was between moves that count: in `said` are also those taken back."""
    taken = [(entry.get("of"), n) for n, entry in enumerate(entries, 1) if entry.get("type") in GOING_BACK]
    said: list[str] = []
    started = False
    for n, (entry, note) in enumerate(zip(entries, notes, strict=True), 1):
        stands = not any(type(of) is int and of <= n < back for of, back in taken)
        kind = entry.get("type")
        if kind == "moved" and stands:
            yield Between("".join(said), entry.get("at"), note, names[n])
            said = []
        elif kind not in SILENT or not stands or (kind == "joined" and started):
            said.append(_said(entry, names[n], note))
        started = started or kind == "started"
    if said:
        yield Between("".join(said), None, "", names[-1])


def _said(entry: dict[str, Any], names: list[str], note: str) -> str:
    pieces = in_words(entry, names)
    sentence = "".join(isolated(text) if given else escape(text) for text, given in pieces)
    later = " The move did not count later." if entry.get("type") == "moved" else ""
    return f"<li class=said>{sentence}{later}{time(entry.get('at'))}{note}</li>"


def _notes(notes: list[str]) -> str:
    return "".join(f"<p class=clock>{note}</p>" for note in notes)


def _refused(state: Any, seat: int) -> list[tuple[dict[str, Any], Refusal]]:
    """Try each card of the seat with each type of move, and all moves of other types; return the refused."""
    if not legal_moves(state, seat):
        return []
    tried: list[dict[str, Any]] = []
    held = dict.fromkeys(card for zone in state.places if seat in seats_of(zone.seen) for card in zone)
    for kind in state.ruleset.PHASES[state.phase]:
        fields = state.ruleset.MOVES[kind]
        needed = [key for key, field in fields.items() if not field.optional]
        if not needed:
            tried.append({"type": kind})
        elif needed == ["card"]:
            tried += [{"type": kind, "card": card} for card in held]
        elif needed == ["cards"]:
            tried += [{"type": kind, "cards": [card]} for card in held]
    by_card = {move["type"] for move in tried}
    proposed = islice(state.ruleset.candidates(state, seat), MOST_PROPOSALS)
    tried += [dict(move) for move in proposed if move["type"] not in by_card]
    verdicts = [(move, judge(state, seat, move)) for move in tried]
    return [(move, verdict.refusal) for move, verdict in verdicts if verdict.refusal is not None]


def _saw(seen: dict[str, Any], state: Any, names: list[str]) -> list[tuple[str, str]]:
    """Return the rows of a view: labels and contents, as HTML."""
    rows = []
    for zone, held in seen["zones"].items():
        shown = cards(held) if type(held) is list else f"{count(held['count'], 'card')}, unseen"
        if held and held != {"count": 0}:
            label = re.sub(r"^the (.)", lambda found: found[1].upper(), place(state, zone, names))
            rows.append((label, shown))
    for fact, value in seen["facts"].items():
        rows.append((escape(words(fact.rpartition(".")[2]).capitalize()), escape(plain(value))))
    return [*rows, ("Scores", escape(plain(seen["scores"])))]


def _inline(text: str) -> str:
    """Render the Markdown of a line: code and bold."""
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", shown)

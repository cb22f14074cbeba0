"""A match as one self-contained HTML page.

The page shows the identity of the game (ids, promises, hashes, receipts), what was verified, every move with
its time, who saw which cards, the position as one seat saw it, what that seat could not have done instead and
by which rule, how each deadline came about, and who agreed to which take-back. The text of every rule
follows.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from referee.dispute.proof import proof
from referee.dispute.story import Story
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
from referee.engine.verdicts import Malformed, Verdict
from referee.engine.views import view
from referee.log.entries import GOING_BACK, in_words, upcast
from referee.log.record import Record, Step, read_record, read_seat, steps
from referee.log.traces import traces
from referee.texts.rulebook import rules
from referee.verification.findings import Report
from referee.verification.forks import Compared
from referee.verification.verify import verify

LEGEND = "Hatched cards are those that this seat did not see."
SILENT = ("created", "joined", "started", "moved", "finished")  # shown elsewhere on the page


def report(
    data: Any,
    seat: int,
    *,
    found: Report | None = None,
    game: str | None = None,
    file: str | None = None,
    held: Sequence[Compared] = (),
) -> Iterator[str]:
    """Yield the pieces of an HTML report of a record, from the point of view of a seat. Raises Malformed.

    `found` is its verification, if already made; `game` is its id and `file` the SHA-256 of its file, if
    known; `held` are receipts that were compared with its log.
    """
    if type(data) is dict and data.get("seed") is None:
        raise Malformed("seed", "is not told yet: a match can be told when it is over")
    record = read_record(data)
    read_seat(seat, record.seats)
    found = found or verify(data)  # raises Malformed if it is not a log
    names = seat_names(data, record.seats)
    entries = [upcast(entry) for entry in data.get("entries") or () if type(entry) is dict]
    walk = steps(record)
    dealt = next(walk)
    rules_of = dealt.state.ruleset
    style = (files(__package__) / "dispute.css").read_text("utf-8")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f"<title>{escape(f'{rules_of.NAME}: the match as seat {seat} saw it')}</title>"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{style}</style></head><body><main>"
    yield f"<h1>{escape(rules_of.NAME)}: the match as {isolated(names[seat])} saw it</h1>"
    yield _facts(record, dealt.state, names, seat)
    yield proof(data, entries, game, file, held)
    yield _checks(found)
    yield _others(entries)
    yield f"<h2>The match</h2><p class=note>{LEGEND}</p><ol class=moves>"
    yield from _moves(walk, dealt, entries, names, seat)
    yield f"</ol>{_end(dealt.state.result, names)}<h2>The rules</h2><dl class=rules>"
    for rule in rules(rules_of.ID, rules_of.VERSION):
        yield f"<dt id={escape(rule.id)}><code>{escape(rule.id)}</code></dt><dd>{_inline(rule.text)}</dd>"
    yield "</dl></main></body></html>\n"


def _facts(record: Record, state: Any, names: list[str], seat: int) -> str:
    rows = [
        ("Rules", f"{escape(state.ruleset.ID)}, version {state.ruleset.VERSION}"),
        ("Seats", ", ".join(map(isolated, names))),
        ("Seen by", isolated(names[seat]) + ("" if names[seat] == f"Seat {seat}" else f", seat {seat}")),
        ("Options", escape(plain(state.options)) or "none"),
        ("Moves", str(len(record.moves))),
    ]
    return "<dl class=facts>" + "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in rows) + "</dl>"


def _checks(found: Report) -> str:
    lines = []
    for check in found.checks:
        where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
        mark = "holds" if check.ok else "fails"
        lines.append(f"<li class={mark}><b>{check.name}</b> {mark}: {where}{isolated(check.detail)}</li>")
    lines += [
        f"<li class=open><b>{check}</b> not checked: {isolated(why)}</li>"
        for check, why in found.unchecked.items()
    ]
    verdict = (
        "Everything that can be checked holds." if found.ok else "<strong>This record does not hold.</strong>"
    )
    opened = "" if found.ok else " open"
    return (
        f"<h2>Can the record be trusted?</h2><p>{verdict}</p>"
        f"<details{opened}><summary>The checks</summary><ul>{''.join(lines)}</ul></details>"
    )


def _others(entries: list[dict[str, Any]]) -> str:
    """Return what others than the players did: looks, and what the app did for seats."""
    lines = "".join(f"<li>{isolated(sentence)}</li>" for sentence in traces(entries)) if entries else ""
    return f"<h2>What others than the players did</h2><ul class=others>{lines}</ul>" if lines else ""


# --- the match --------------------------------------------------------------------------------------


def _moves(
    walk: Iterator[Step], dealt: Step, entries: list[dict[str, Any]], names: list[str], seat: int
) -> Iterator[str]:
    """Yield each move; what was seen before the move is read before the replay continues."""
    story = Story(names)
    notes = [_notes(story.tell(entry)) for entry in entries]
    between = _between(entries, notes, names)
    started = next(
        (note for entry, note in zip(entries, notes, strict=True) if entry.get("type") == "started"), ""
    )
    state = dealt.state
    shown = transfers(dealt.transfers, state, names, seat)
    yield f"<li class=deal><h3>The deal</h3>{shown}{started}</li>"
    before, instead = view(state, seat), _refused(state, seat)
    for step in walk:
        said, at, note = next(between, ("", None, ""))
        yield said
        assert step.seat is not None
        assert step.verdict is not None
        mine = step.seat == seat
        yield f"<li class={'mine' if mine else 'other'} id=move-{step.n}>"
        yield f"<h3>{step.n}. {named(names, step.seat)} {_move(step.move)}{time(at)}</h3>"
        yield _verdict(step.verdict)
        yield transfers(step.transfers, state, names, seat)
        yield note
        who = isolated(names[seat])
        saw = _view(before, state, names)
        yield f"<details><summary>What {who} saw before this move</summary>{saw}</details>"
        if mine and instead:
            yield f"<details><summary>What {who} could not do instead, and why</summary><ul>"
            yield from (f"<li>{_move(move)} — {_cited(verdict)}</li>" for move, verdict in instead)
            yield "</ul></details>"
        yield "</li>"
        before, instead = view(state, seat), _refused(state, seat)
    yield from (said for said, _, _ in between)


def _between(
    entries: list[dict[str, Any]], notes: list[str], names: list[str]
) -> Iterator[tuple[str, Any, str]]:
    """Return for each move the lines before it (including moves taken back), its time, and its notes."""
    taken = [(entry.get("of"), n) for n, entry in enumerate(entries, 1) if entry.get("type") in GOING_BACK]
    said: list[str] = []
    started = False
    for n, (entry, note) in enumerate(zip(entries, notes, strict=True), 1):
        stands = not any(type(of) is int and of <= n < back for of, back in taken)
        kind = entry.get("type")
        if kind == "moved" and stands:
            yield "".join(said), entry.get("at"), note
            said = []
        elif kind not in SILENT or not stands or (kind == "joined" and started):
            said.append(_said(entry, names, note))
        started = started or kind == "started"
    if said:
        yield "".join(said), None, ""


def _said(entry: dict[str, Any], names: list[str], note: str) -> str:
    pieces = in_words(entry, names)
    sentence = "".join(isolated(text) if given else escape(text) for text, given in pieces)
    later = " The move did not count later." if entry.get("type") == "moved" else ""
    return f"<li class=said>{sentence}{later}{time(entry.get('at'))}{note}</li>"


def _notes(found: list[str]) -> str:
    return "".join(f"<p class=clock>{note}</p>" for note in found)


def _refused(state: Any, seat: int) -> list[tuple[dict[str, Any], Verdict]]:
    """Try each card of the seat with each move type of the phase; return what is refused."""
    if not legal_moves(state, seat):
        return []
    tried: list[dict[str, Any]] = []
    held = dict.fromkeys(card for zone in state.places if zone.seen == seat for card in zone)
    for kind in state.ruleset.PHASES[state.phase]:
        fields = state.ruleset.MOVES[kind]
        needed = [key for key, field in fields.items() if not field.optional]
        if not needed:
            tried.append({"type": kind})
        elif needed == ["card"]:
            tried += [{"type": kind, "card": card} for card in held]
        elif needed == ["cards"]:
            tried += [{"type": kind, "cards": [card]} for card in held]
    verdicts = [(move, judge(state, seat, move)) for move in tried]
    return [(move, verdict) for move, verdict in verdicts if not verdict.legal]


def _move(move: Any) -> str:
    if type(move) is not dict:
        return f"<code>{isolated(plain(move))}</code>"
    parts = [f"<b class=type>{isolated(words(str(move.get('type'))))}</b>"]
    for key, value in move.items():
        if key != "type":
            shown = cards(value) if key in ("card", "cards", "take") else None
            parts.append(shown or f"<span class=field>{isolated(key)}</span> {isolated(plain(value))}")
    return " ".join(parts)


def _verdict(verdict: Verdict) -> str:
    if verdict.legal:
        return "<p class=legal>Legal.</p>"
    return f"<p class=illegal>Refused: {_cited(verdict)}</p>"


def _cited(verdict: Verdict) -> str:
    assert verdict.refusal is not None
    rule, reason = verdict.refusal
    return f'{isolated(reason)} (<a href="#{escape(rule)}"><code>{escape(rule)}</code></a>)'


def _view(seen: dict[str, Any], state: Any, names: list[str]) -> str:
    rows = []
    for zone, held in seen["zones"].items():
        shown = cards(held) if type(held) is list else f"{count(held['count'], 'card')}, unseen"
        if held and held != {"count": 0}:
            label = re.sub(r"^the (.)", lambda found: found[1].upper(), place(state, zone, names))
            rows.append(f"<tr><th>{label}</th><td>{shown}</td></tr>")
    for fact, value in seen["facts"].items():
        label = words(fact.rpartition(".")[2])
        rows.append(f"<tr><th>{escape(label.capitalize())}</th><td>{escape(plain(value))}</td></tr>")
    rows.append(f"<tr><th>Scores</th><td>{escape(plain(seen['scores']))}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _end(result: dict[str, Any] | None, names: list[str]) -> str:
    if result is None:
        return "<p class=end>The match has no result.</p>"
    winners = listed([isolated(names[seat]) for seat in result["winners"]]) or "nobody"
    return f"<p class=end>Won by {winners} ({escape(words(result['reason']))}).</p>"


def _inline(text: str) -> str:
    """Render the Markdown of a line: code and bold."""
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", shown)

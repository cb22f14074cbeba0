"""A match told for a person who has to decide an argument: one HTML page that needs nothing else.

Every move with its time, who saw which cards, the position as one seat saw it, what that seat could not have
done instead and the rule that says so; then what was verified, and the text of every rule.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from typing import Any

from referee.play import judge, legal_moves
from referee.position import EVERYONE, NOBODY, Transfer
from referee.record import Record, Step, read_record, read_seat, steps
from referee.rulebook import rules
from referee.verdicts import Malformed, Verdict
from referee.verification import verify
from referee.views import view

SYMBOLS = dict(zip("CDHS", "♣♦♥♠", strict=True))
RED = ("D", "H")
FRENCH = re.compile(r"([2-9TJQKA])([CDHS])").fullmatch
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
SILENT = ("created", "joined", "started", "moved", "finished")  # told elsewhere on the page


def report(data: Any, seat: int) -> Iterator[str]:
    """Report a record from the point of view of a seat, as pieces of one HTML page. Raises Malformed."""
    if type(data) is dict and data.get("seed") is None:
        raise Malformed("seed", "is not told yet: a match can be told when it is over")
    record = read_record(data)
    read_seat(seat, record.seats)
    checks = _checks(data)  # which refuses a log that is none
    names = _names(data, record.seats)
    entries = [entry for entry in data.get("entries") or () if type(entry) is dict]
    walk = steps(record)
    dealt = next(walk)
    game = dealt.state.ruleset
    style = (files("referee") / "dispute.css").read_text("utf-8")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f"<title>{escape(f'{game.NAME}: the match as seat {seat} saw it')}</title>"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{style}</style></head><body><main>"
    yield f"<h1>{escape(game.NAME)}: the match as {_isolated(names[seat])} saw it</h1>"
    yield _facts(data, record, dealt.state, names, seat)
    yield _origin(data.get("origin"), data.get("imported_by"))
    yield checks
    yield f"<h2>The match</h2><p class=note>{LEGEND}</p><ol class=moves>"
    yield f"<li class=deal><h3>The deal</h3>{_transfers(dealt.transfers, seat)}</li>"
    yield from _moves(walk, dealt, entries, names, seat)
    yield f"</ol>{_end(dealt.state.result, names)}<h2>The rules</h2><dl class=rules>"
    for rule in rules(game.ID, game.VERSION):
        yield f"<dt id={escape(rule.id)}><code>{escape(rule.id)}</code></dt><dd>{_inline(rule.text)}</dd>"
    yield "</dl></main></body></html>\n"


LEGEND = "Hatched cards are those that this seat did not see. Behind each transfer stands who saw its cards."


def _of_the_log(data: Any) -> list[tuple[str, str]]:
    """Name what the log commits to: the pace and the promised seed in the beginning, the last hash."""
    entries = [entry for entry in data.get("entries") or () if type(entry) is dict]
    if not entries:
        return []
    pace = entries[0].get("pace")
    told = {"Pace": _plain(pace) if pace else "none", "Commitment": str(entries[0].get("commitment"))}
    return [
        *told.items(),
        ("Entries", str(len(entries))),
        ("Hash of the last entry", str(entries[-1].get("hash"))),
    ]


def _facts(data: Any, record: Record, state: Any, names: list[str], seat: int) -> str:
    rows = [
        ("Rules", f"{escape(state.ruleset.ID)}, version {state.ruleset.VERSION}"),
        ("Seats", ", ".join(map(_isolated, names))),
        ("Told for", _isolated(names[seat]) + ("" if names[seat] == f"Seat {seat}" else f", seat {seat}")),
        ("Options", escape(_plain(state.options)) or "none"),
        ("Moves", str(len(record.moves))),
        *_of_the_log(data),
    ]
    return "<dl class=facts>" + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows) + "</dl>"


def _origin(origin: object, importer: object) -> str:
    """Report of an imported game that the server which exported the record did not deal it."""
    if origin != "imported":
        return ""
    name = importer.get("name") if type(importer) is dict else None
    by = f" by {_isolated(str(name)[:100])}" if name else ""
    return f"<p class=note>This game was imported{by}: the server that wrote this record did not deal it.</p>"


def _checks(data: Any) -> str:
    found = verify(data)
    lines = []
    for check in found.checks:
        where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
        mark = "holds" if check.ok else "fails"
        lines.append(f"<li class={mark}><b>{check.name}</b> {mark}: {where}{_isolated(check.detail)}</li>")
    lines += [
        f"<li class=open><b>{name}</b> not checked: {_isolated(why)}</li>"
        for name, why in found.unchecked.items()
    ]
    verdict = (
        "Everything that can be checked holds." if found.ok else "<strong>This record does not hold.</strong>"
    )
    opened = "" if found.ok else " open"
    return (
        f"<h2>Can the record be trusted?</h2><p>{verdict}</p>"
        f"<details{opened}><summary>The checks</summary><ul>{''.join(lines)}</ul></details>"
    )


def _moves(
    walk: Iterator[Step], dealt: Step, entries: list[dict[str, Any]], names: list[str], seat: int
) -> Iterator[str]:
    """Report each move; what is shown as seen before it is taken before the replay goes on."""
    told = _between(entries)
    state = dealt.state
    before, instead = view(state, seat), _refused(state, seat)
    for step in walk:
        at, said = next(told, (None, ()))
        yield from (_said(entry, names) for entry in said)
        assert step.seat is not None
        assert step.verdict is not None
        mine = step.seat == seat
        yield f"<li class={'mine' if mine else 'other'} id=move-{step.n}>"
        yield f"<h3>{step.n}. {_named(names, step.seat)} {_move(step.move)}{_time(at)}</h3>"
        yield _verdict(step.verdict)
        yield _transfers(step.transfers, seat)
        yield f"<details><summary>What seat {seat} saw before this move</summary>{_view(before)}</details>"
        if mine and instead:
            yield f"<details><summary>What seat {seat} could not do instead, and why</summary><ul>"
            yield from (f"<li>{_move(move)} — {_cited(verdict)}</li>" for move, verdict in instead)
            yield "</ul></details>"
        yield "</li>"
        before, instead = view(state, seat), _refused(state, seat)
    for _, said in told:
        yield from (_said(entry, names) for entry in said)


def _between(entries: list[dict[str, Any]]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Return each move's time and the entries told before it, moves taken back among them."""
    taken = [(entry.get("of"), n) for n, entry in enumerate(entries, 1) if entry.get("type") == "taken_back"]
    said: list[dict[str, Any]] = []
    for n, entry in enumerate(entries, 1):
        stands = not any(type(of) is int and of <= n < back for of, back in taken)
        if entry.get("type") == "moved" and stands:
            yield entry.get("at"), said
            said = []
        elif entry.get("type") not in SILENT or not stands:
            said.append(entry)
    if said:
        yield None, said


def _said(entry: dict[str, Any], names: list[str]) -> str:
    kind, seat = str(entry.get("type")), entry.get("seat")
    who = names[seat] if type(seat) is int and 0 <= seat < len(names) else "Somebody"
    texts = {
        "said": f"said: “{_isolated(str(entry.get('text')))}”",
        "resigned": "gave up",
        "timed_out": "ran out of time",
        "cancelled": "the game was called off",
        "moved": "made a move that was taken back",
        "taken_back": "took a move back",
        "joined": "took the seat",
        "left": "left the seat",
    }
    told = texts.get(kind) or _isolated(kind)
    return f"<li class=said>{_isolated(who)} {told}{_time(entry.get('at'))}</li>"


def _refused(state: Any, seat: int) -> list[tuple[dict[str, Any], Verdict]]:
    """Try each card of the seat in each way that the phase knows; give what is refused."""
    if not legal_moves(state, seat):
        return []
    tried: list[dict[str, Any]] = []
    held = dict.fromkeys(card for place in state.places if place.seen == seat for card in place)
    for name in state.ruleset.PHASES[state.phase]:
        fields = state.ruleset.MOVES[name]
        needed = [key for key, field in fields.items() if not field.optional]
        if not needed:
            tried.append({"type": name})
        elif needed == ["card"]:
            tried += [{"type": name, "card": card} for card in held]
        elif needed == ["cards"]:
            tried += [{"type": name, "cards": [card]} for card in held]
    verdicts = [(move, judge(state, seat, move)) for move in tried]
    return [(move, verdict) for move, verdict in verdicts if not verdict.legal]


# --- words and cards --------------------------------------------------------------------------------


def _names(data: dict[str, Any], seats: int) -> list[str]:
    names = [f"Seat {seat}" for seat in range(seats)]
    for entry in data.get("entries") or ():
        if type(entry) is dict and entry.get("type") == "joined" and type(entry.get("seat")) is int:
            player = entry.get("player")
            name = player.get("name") if type(player) is dict else entry.get("bot") and f"bot {entry['bot']}"
            if name and 0 <= entry["seat"] < seats:
                names[entry["seat"]] = str(name)
    return names


def _named(names: list[str], seat: int) -> str:
    label = "" if names[seat] == f"Seat {seat}" else f" <span class=seat>seat {seat}</span>"
    return _isolated(names[seat]) + label


def _move(move: Any) -> str:
    if type(move) is not dict:
        return f"<code>{_isolated(_plain(move))}</code>"
    parts = [f"<b class=type>{_isolated(str(move.get('type')))}</b>"]
    for key, value in move.items():
        if key != "type":
            cards = _cards(value) if key in ("card", "cards", "take") else None
            parts.append(cards or f"<span class=field>{_isolated(key)}</span> {_isolated(_plain(value))}")
    return " ".join(parts)


def _verdict(verdict: Verdict) -> str:
    if verdict.legal:
        return "<p class=legal>Legal.</p>"
    return f"<p class=illegal>Refused: {_cited(verdict)}</p>"


def _cited(verdict: Verdict) -> str:
    assert verdict.refusal is not None
    rule, reason = verdict.refusal
    return f'{_isolated(reason)} (<a href="#{escape(rule)}"><code>{escape(rule)}</code></a>)'


def _transfers(transfers: Iterable[Transfer], seat: int) -> str:
    lines = []
    for source, target, cards, left, came in transfers:
        way = f"{escape(source or 'the pack')} → {escape(target or 'the pack')}"
        seen = {left, came} & {EVERYONE, seat}
        who = _who({left, came} - {NOBODY})
        shown = f"{_cards(cards, bool(seen))} <span class=who>{who}</span>"
        lines.append(f"<li><span class=way>{way}</span><span>{shown}</span></li>")
    return f"<ul class=transfers>{''.join(lines)}</ul>" if lines else ""


def _who(viewers: set[int]) -> str:
    if EVERYONE in viewers:
        return "seen by everyone"
    if not viewers:
        return "seen by nobody"
    return "seen by seat " + " and ".join(map(str, sorted(viewers))) + " only"


def _view(seen: dict[str, Any]) -> str:
    rows = []
    for name, cards in seen["zones"].items():
        shown = _cards(cards) if type(cards) is list else f"{cards['count']} unseen"
        if cards and cards != {"count": 0}:
            rows.append(f"<tr><th>{escape(name)}</th><td>{shown}</td></tr>")
    for name, value in seen["facts"].items():
        rows.append(f"<tr><th>{escape(name)}</th><td>{escape(_plain(value))}</td></tr>")
    rows.append(f"<tr><th>scores</th><td>{escape(_plain(seen['scores']))}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _cards(cards: Any, seen: bool = True) -> str:
    listed = cards if type(cards) is list else [cards]
    return " ".join(_card(str(card), seen) for card in listed)


def _card(card: str, seen: bool) -> str:
    found = FRENCH(card)
    text = found[1].replace("T", "10") + SYMBOLS[found[2]] if found else card
    kinds = ["card", *(["red"] if found and found[2] in RED else []), *([] if seen else ["unseen"])]
    return f'<span class="{" ".join(kinds)}">{escape(text)}</span>'


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if type(value) is bool:
        return "yes" if value else "no"
    if type(value) is list:
        return ", ".join(map(_plain, value)) or "none"
    if type(value) is dict:
        return ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
    return str(value)


def _time(at: Any) -> str:
    return f" <time>{_isolated(str(at)[:19].replace('T', ' '))}</time>" if at else ""


def _end(result: dict[str, Any] | None, names: list[str]) -> str:
    if result is None:
        return "<p class=end>The match has no result.</p>"
    winners = ", ".join(_isolated(names[seat]) for seat in result["winners"]) or "nobody"
    return f"<p class=end>Won by {winners} ({escape(result['reason'])}).</p>"


def _isolated(text: str) -> str:
    """Escape what somebody else wrote, so that it neither turns the text around it nor moves a cursor."""
    return f"<bdi>{escape(CONTROLS.sub(REPLACEMENT, text))}</bdi>"


def _inline(text: str) -> str:
    """Markdown within a line: code and bold."""
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", shown)

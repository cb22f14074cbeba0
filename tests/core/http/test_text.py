"""Texts that people write: what names and messages may contain, and integers that fit no column."""

from __future__ import annotations

import pytest

from api.callers import app_keys
from api.core.config import Settings, StartError
from tests.support.callers import Caller, new_game

BAD_NAMES = {
    "empty": "",
    "blank": "   ",
    "no-break spaces": "\u00a0\u00a0",
    "ideographic space": "\u3000",
    "zero width": "\u200b\u200b",
    "joiners only": "\u200d",
    "Hangul filler": "\u3164",
    "braille blank": "\u2800",
    "tags": "\U000e0041",
    "space before": " Anna",
    "space after": "Anna ",
    "newline": "An\nna",
    "newline at the end": "Anna\n",
    "tab": "An\tna",
    "escape sequence": "\x1b[31mAnna",
    "C1 control": "An\x9bna",
    "delete": "Anna\x7f",
    "right-to-left override": "Anna\u202e",
    "right-to-left isolate": "\u2067Anna",
    "right-to-left mark": "An\u200fna",
    "zero width inside": "An\u200bna",
    "joiner inside Latin": "An\u200dna",
    "joiner inside Vietnamese": "Th\u1ebf\u200d\u1ebf",
    "joiner inside extended Greek": "\u1f00\u200d\u1f00",
    "joiner inside full-width Latin": "\uff21\u200d\uff22",
    "joiner inside Chinese": "\u5c71\u200d\u7530",
    "joiner inside Korean": "\uae40\u200c\uae40",
    "joiner at the end": "\u0645\u06cc\u200c",
    "soft hyphen": "An\u00adna",
    "byte order mark": "\ufeffAnna",
    "line separator": "An\u2028na",
    "annotation": "An\ufff9na",
    "musical format control": "An\U0001d173na",
    "musical blank": "\U0001d159",
    "Khitan filler": "\U00016fe4",
    "variation selector after a letter": "A\ufe0fnna",
    "variation selector alone": "\ufe0f",
    "two variation selectors": "\u2695\ufe0f\ufe0f",
    "private use": "\ue000",
    "private use beyond": "\U000f0000",
    "no character": "An\uffffna",
    "no character beyond": "An\U0001fffena",
    "placeholder of an object": "\ufffc",
}
GOOD_NAMES = (
    "A",
    "Anna Maria O'Neill-Škoda",
    "山田\u3000太郎",
    "עדי",
    "مي\u200cخواهم",
    "👩\u200d👩\u200d👧",
    "👩🏽\u200d⚕\ufe0f",
    "क\u094d\u200dष",
    "N\u0303andu",
    "Thế ế",
    "⚕\ufe0f ❤\ufe0f\u200d🔥",
    "สมชาย กำ",
    "x" * 100,
)


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
def test_a_name_has_visible_characters(settings: Settings, host: Caller, name: str) -> None:
    refused = host.post("/v1/players", {"name": name})
    assert (refused.status_code, list(refused.json["errors"])) == (400, ["name"])
    player = host.post("/v1/players", {"name": "Anna"}).json
    assert host("PATCH", f"/v1/players/{player['id']}", {"name": name}).status_code == 400
    with pytest.raises(StartError, match="name of an app"):
        app_keys.create(settings, name, ["read"], None)


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_names_in_every_script_are_accepted(settings: Settings, host: Caller, name: str) -> None:
    assert host.post("/v1/players", {"name": name}).json["name"] == name
    assert app_keys.create(settings, name, ["read"], None)


def test_a_surrogate_from_the_command_line_is_refused_as_a_name(settings: Settings) -> None:
    with pytest.raises(StartError, match="name of an app"):
        app_keys.create(settings, "Ann\udce9", ["read"], None)


def test_messages_may_contain_newlines_but_no_other_control_characters(
    host: Caller, four: list[Caller]
) -> None:
    path = f"/v1/games/{new_game(host, four[:3])['id']}/messages"
    for text in ("\x1b[2J", "a\tb", "a\rb", "a\x85b", "\x07"):
        refused = four[0].post(path, {"text": text})
        assert (refused.status_code, list(refused.json["errors"])) == (400, ["text"])
    for text in ("one\ntwo", "שלום\u200f!", "👩\u200d👩\u200d👧"):
        assert four[0].post(path, {"text": text}).json["entry"]["private"]["all"]["text"] == text


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30])
def test_orders_with_integers_beyond_64_bits_are_refused(
    host: Caller, four: list[Caller], number: int
) -> None:
    path = f"/v1/games/{new_game(host, four[:3])['id']}/orders"
    for move in ({"type": "play", "card": number}, {"type": "play", "deep": [{"in": number}]}):
        refused = four[0].put(path, {"orders": [{"move": move}]})
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/illegal-move")
    assert four[0].get(path).json["orders"] == []

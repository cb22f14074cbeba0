"""Pictures in notebooks: what the viewer sees and nothing else, with the faces of the pages."""

import random
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

import referee
from docs import faces
from tests.support.packages import registered

GAMES = [(game.ID, game.SEATS[-1]) for game in referee.newest()]
SVG = "{http://www.w3.org/2000/svg}"


def titles(picture: str) -> Counter[str]:
    root = ElementTree.fromstring(picture)
    for used in root.iter(f"{SVG}use"):
        assert root.find(f".//*[@id='{used.get('href', '')[1:]}']") is not None
    return Counter(title.text or "" for title in root.iter(f"{SVG}title"))


def shown(view: Any) -> Counter[str]:
    zones = [zone for zone in view["zones"].values() if isinstance(zone, list)]
    return Counter(card for zone in zones for card in zone if card is not None)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_picture_has_the_cards_that_its_viewer_sees(game: str, seats: int) -> None:
    match = referee.Match(game, seats, seed=1)
    choose = random.Random(1)
    for number in range(60):
        if number % 20 == 0:
            for seat in (*range(seats), None):
                drawn = titles(match.picture(seat)._repr_svg_())
                assert drawn - Counter({"hidden card": drawn["hidden card"]}) == shown(match.view(seat))
            assert match._repr_svg_() == match.picture(next(iter(match.to_act), None)).svg
            assert match.picture(0).svg in match.picture(0)._repr_html_()
        if not match.is_over:
            match.play(match.to_act[0], choose.choice(match.legal_moves(match.to_act[0])))


def test_a_hidden_card_is_in_no_picture_of_others() -> None:
    match = referee.Match("cats_and_dogs", 2, seed=1)
    other = match.clone()
    other.state = match.sample(0, random.Random(1).randrange)
    assert match.view(1) != other.view(1)
    for seat in (0, None):
        assert match.picture(seat).html == other.picture(seat).html


def test_cards_of_packages_have_faces() -> None:
    with registered("dark-mark", "dark_mark"):
        match = referee.Match("dark_mark", 2, seed=1)
        assert titles(match.picture(0).svg)


def test_what_a_view_says_is_no_markup() -> None:
    match = referee.Match("cats_and_dogs", 2, seed=1)
    view = match.view(0) | {"phase": "<script>", "facts": {"<b>": "<i>"}}
    view["zones"]["hand.0"] = ["<u>"]
    picture = referee.computer.pictures.Picture(view, 0)  # type: ignore[attr-defined]
    assert not any(tag in picture.html for tag in ("<script>", "<b>", "<i>", "<u>"))
    assert titles(picture.svg)["<u>"] == 1


def test_the_faces_are_those_of_the_pages() -> None:
    assert faces.FILE.read_text("utf-8") == faces.text(), "run `make generate`"

"""Pages and problems in the languages of their readers, and catalogues in which no text is missing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape

import referee
from api.core import languages
from api.features.specification.problems import problem_types
from tests.support.packages import RELEASED

OTHERS = sorted(set(languages.NAMES) - {languages.ENGLISH})
ROOT = Path(__file__).parents[3]
PLACEHOLDER = re.compile(r"\{\w+\}|%\(\w+\)s|<[^>]+>")


@cache
def texts_of_the_code(folder: Path) -> Catalog:
    """Return every text that pages and mails may show, found as `make generate` finds them."""
    keywords = [f"--keyword={each}" for each in (languages.CATALOGUES / "keywords").read_text().split()]
    mapping, output = languages.CATALOGUES / "babel.cfg", folder / "messages.pot"
    command = f"pybabel --quiet extract --mapping-file {mapping} --output {output} --add-location=file"
    CommandLineInterface().run([*shlex.split(command), *keywords, str(ROOT / "api")])
    with output.open("rb") as file:
        return read_po(file)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return texts_of_the_code(tmp_path_factory.getbasetemp())


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(texts: Catalog, language: str) -> None:
    with (languages.CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file)
    missing, different = [], []
    wanted = [message for message in texts if message.id]
    assert len(wanted) > 150
    for message in wanted:
        found = catalogue.get(message.id if isinstance(message.id, str) else message.id[0])
        forms = [] if found is None else [found.string] if isinstance(found.string, str) else found.string
        if not forms or not all(forms) or found.fuzzy:
            missing.append(message.id)
            continue
        ids = [message.id] if isinstance(message.id, str) else message.id
        assert len(forms) == len(ids), "texts.js knows one form for 1 and one for all other numbers"
        names = sorted(set(PLACEHOLDER.findall(ids[-1])))
        different += [form for form in forms[-1:] if sorted(set(PLACEHOLDER.findall(form))) != names]
    assert missing == [], "make generate, then translate"
    assert different == []
    assert {message.id for message in catalogue} <= {message.id for message in texts}, "make generate"


def test_no_text_of_a_script_is_overlooked() -> None:
    """Babel reads only some of those inside template strings and other texts: give these a name before."""
    scripts = [script.read_text("utf-8") for script in (ROOT / "api" / "web").rglob("*.js")]
    called = re.findall(r"(?<![\w.])(?:t|tn|pieces|mark)\(\"((?:[^\"\\]|\\.)+)\"", "\n".join(scripts))
    assert len(called) > 500
    assert set(called) - languages.texts_of_scripts("de").keys() == set()


@pytest.mark.parametrize(
    ("query", "cookie", "browser", "language", "words"),
    [
        ("", "", "", "en", "Play now"),
        ("", "", "de-AT,en;q=0.5", "de", "Jetzt spielen"),
        ("", "", "fi, es;q=0.9, en;q=0.8", "es", "Jugar ahora"),
        ("", "pt", "de", "pt", "Jogar agora"),
        ("?lang=es-AR", "pt", "de", "es", "Jugar ahora"),
        ("?lang=xx", "..", "fi", "en", "Play now"),
    ],
)
def test_a_page_has_the_language_chosen_in_the_address_on_the_device_or_by_the_browser(
    client: FlaskClient, query: str, cookie: str, browser: str, language: str, words: str
) -> None:
    client.set_cookie("language", cookie)
    page = client.get(f"/{query}", headers={"Accept-Language": browser})
    assert page.headers["Content-Language"] == language
    assert set(page.headers["Vary"].split(", ")) >= {"Accept-Language", "Cookie"}
    assert f'<html lang="{language}">' in page.text
    assert words in page.text
    assert (f"/messages/{language}.json" in page.text) == (language != "en")


@pytest.mark.parametrize("language", OTHERS)
def test_scripts_get_their_texts_in_a_language(client: FlaskClient, language: str) -> None:
    answer = client.get(f"/web/messages/{language}.json")
    assert answer.json.items() >= languages.texts_of_scripts(language).items()
    assert (
        client.get(
            f"/web/messages/{language}.json", headers={"If-None-Match": answer.headers["ETag"]}
        ).status_code
        == 304
    )
    assert client.get("/web/messages/../de.json").status_code == 404
    assert client.get("/web/messages/fi.json").status_code == 404


def test_problems_are_english_and_pages_have_their_titles_in_a_language(client: FlaskClient) -> None:
    english = client.get("/v1/me", headers={"Accept-Language": "es"})
    assert (english.status_code, english.json["title"]) == (401, "A valid token is needed")
    assert "Content-Language" not in english.headers
    texts = client.get("/web/messages/es.json").json
    assert texts["A valid token is needed"] == "Hace falta un token válido"
    assert [kind.title for kind in problem_types().values() if kind.title not in texts] == []


def verbs(moves: Iterable[str]) -> set[str]:
    """Return what pages call moves: `play`, `plays`."""
    return {verb for move in moves for verb in (move, f"{move}s")}


FURTHER = {"pl": ["pies"], "lt": ["pedro"]}  # games that are at home where the pages' languages are not


@pytest.mark.parametrize("language", [*OTHERS, *FURTHER])
def test_rulesets_have_their_words_in_a_language(client: FlaskClient, language: str) -> None:
    """The guide, and every name that pages show, of every released game of this repository."""
    items = client.get(f"/v1/rulesets?language={language}").json["items"]
    having = [game["id"] for game in items if language in game["languages"]]
    assert set(RELEASED) & set(having) == set(FURTHER.get(language, RELEASED))
    for game in [game for game in items if game["id"] in having]:
        there = client.get(f"/v1/rulesets/{game['id']}?language={language}").json
        english = client.get(f"/v1/rulesets/{game['id']}").json
        assert set(english["words"]) <= set(there["words"])
        assert game["summary"] == there["summary"]
        for text in ("summary", "how_to_play"):
            assert len(there[text]) > 0.6 * len(english[text])
            assert not set(there[text].splitlines()) & set(english[text].splitlines()) - {""}
        names = [*english["moves"], *english["phases"], *(zone["name"] for zone in english["zones"])]
        texts = [name.replace("_", " ") for name in names if not name[-1].isdigit()]
        for fact in english["facts"].values():
            said = fact.get("x-words", {})
            texts += [said] if isinstance(said, str) else said.values()
            members = {} if isinstance(said, dict) else fact.get("oneOf", [{}])[-1].get("properties", {})
            for name, member in members.items():
                if f"{{{name}}}" in said:
                    texts += [value.replace("_", " ") for value in member.get("enum", ())]
        options = english["options"]["properties"]
        texts += [name.replace("_", " ") for name in options]
        texts += [value for option in options.values() for value in option.get("enum", ())]
        for name in {zone["name"] for zone in english["zones"]} & verbs(english["moves"]):
            texts.append(f"zone {name}")
        assert [text for text in [*texts, *english["reasons"].values()] if text not in there["words"]] == []
        assert all(there["words"].values())
    assert client.get("/v1/rulesets?language=fi").status_code == 400


@pytest.mark.parametrize(
    ("query", "cookie", "browser", "of_page", "of_rules"),
    [
        ("", "", "pl, de;q=0.8", "de", "pl"),
        ("", "", "de, pl;q=0.8", "de", "en"),
        ("", "", "lt", "en", "en"),
        ("", "es", "pl", "es", "en"),
        ("?lang=pl", "", "fi", "en", "pl"),
    ],
)
def test_rules_are_in_a_language_that_only_the_game_has_if_the_reader_prefers_it(
    client: FlaskClient, query: str, cookie: str, browser: str, of_page: str, of_rules: str
) -> None:
    client.set_cookie("language", cookie)
    page = client.get(f"/docs/rules/pies{query}", headers={"Accept-Language": browser})
    assert set(page.headers["Vary"].split(", ")) >= {"Accept-Language", "Cookie"}
    assert f'<html lang="{of_page}">' in page.text
    exact = page.text.partition('<details id="exact"')[2].replace("&quot;", "&#34;")
    first = referee.rules_text("pies", language=of_rules).split("\n\n")[1]
    assert f'<div lang="{of_rules}"><p>{escape(first[:60])}' in exact


def test_the_rules_of_a_ruleset_are_in_the_language_asked_for(client: FlaskClient) -> None:
    there, english = (client.get(f"/v1/rulesets/pedro?language={one}").json for one in ("lt", "en"))
    assert there["text"] == referee.rules_text("pedro", language="lt") != english["text"]
    for own, rule in zip(there["rules"], english["rules"], strict=True):
        assert {**own, "text": ""} == {**rule, "text": ""}
        assert own["text"] != rule["text"]
        assert own["text"] in " ".join(there["text"].split())

"""What several operations share: pages of lists, labels, seats, keys and signatures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load

import referee
import referee.records
import referee.texts
from api.core import languages, names
from api.core.names import LONGEST_ID, LONGEST_KEY, LONGEST_TITLE, LONGEST_VALUE, MOST_KEYS
from api.core.paging import Page
from api.http.fields import (
    CONTROLS,
    Choice,
    Described,
    Input,
    Message,
    QueryWhole,
    SeatNumber,
    Several,
    Text,
)
from api.http.patterns import Cursor, Hexadecimal, Pattern, PublicKey, Time, TurnCursor

KEY = re.compile(f"[^:{CONTROLS}]{{1,{LONGEST_KEY}}}")


def read_key(text: str) -> str:
    """Return a key of metadata in Unicode's form NFC, so that what looks alike is the same key.

    Raises ValidationError.
    """
    key = unicodedata.normalize("NFC", text)
    if not KEY.fullmatch(text) or not KEY.fullmatch(key):
        words = f"A key has 1 to {LONGEST_KEY} characters, no colon and no control characters."
        raise ValidationError(words)
    return key


class ExternalId(Pattern):
    """The app's own id of an object."""

    pattern = f"^[!-~]{{1,{LONGEST_ID}}}$"
    what = f"1 to {LONGEST_ID} visible ASCII characters"


class Metadata(Described, fields.Dict):
    """Key-value pairs of strings; a key whose value is null or empty is removed."""

    keywords: Mapping[str, Any] = {
        "type": "object",
        "maxProperties": MOST_KEYS,
        "propertyNames": {"pattern": f"^{KEY.pattern}$"},
        "additionalProperties": {
            "type": ["string", "null"],
            "maxLength": LONGEST_VALUE,
            "pattern": names.TEXT_PATTERN,
        },
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **more: Any) -> Any:
        if type(value) is not dict:
            raise ValidationError("Must be an object.")
        if len(value) > MOST_KEYS:
            raise ValidationError(f"Must have at most {MOST_KEYS} keys.")
        pairs = {read_key(key): inner for key, inner in value.items()}
        if len(pairs) < len(value):
            raise ValidationError("Two keys are the same in Unicode's form NFC.")
        for inner in pairs.values():
            if inner is not None and (type(inner) is not str or len(inner) > LONGEST_VALUE):
                raise ValidationError(f"A value is a string of at most {LONGEST_VALUE} characters, or null.")
            if inner is not None and "\0" in inner:
                raise ValidationError("A value has no NUL character.")
        return pairs


# No base class: inherited members come first, and generated clients take members by position.
EXTERNAL_ID = ExternalId(null=True, about="The app's own id, unique among its objects of this kind.")
METADATA = Metadata(null=True, about="Any data of the app; a value of null removes the key.")
TITLE = Message(LONGEST_TITLE, null=True, about="The title, visible to everybody who sees the object.")


class Titled(Input):
    """Changes of a game's title, external id or metadata."""

    external_id = EXTERNAL_ID
    metadata = METADATA
    title = TITLE


class Filters(Input):
    """The labels of the objects to find."""

    external_id = ExternalId(about="Only objects with this id of the app's own.")


MOST_SEATS = 16
MOST_ENTROPY = 64
COMMITTED = "SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."


def _short_enough(entropy: str) -> None:
    if len(entropy.encode()) > MOST_ENTROPY:
        raise ValidationError(f"Must be at most {MOST_ENTROPY} bytes of UTF-8.")


class Entropy(Text):
    """What a seat contributes to the randomness of the deal."""

    def __init__(self, **more: Any) -> None:
        super().__init__(0, MOST_ENTROPY, **more)
        self.validators = [*self.validators, _short_enough]


class Commitment(Pattern):
    """A seat's commitment to its entropy."""

    pattern, what = "^[0-9a-f]{64}$", "a SHA-256 hash, 64 hexadecimal digits in lower case"


PUBLIC_KEY = PublicKey(about="An Ed25519 key: from now on, actions of the seat must be signed with it.")


class Signed(Input):
    """The signature with the seat's key; `docs/reference/log-format.md` says what is signed."""

    previous = Hexadecimal(32, required=True, about="The hash of the newest entry that the signer has seen.")
    signature = Hexadecimal(64, required=True, about="Ed25519.")


SIGNED = fields.Nested(
    Signed, load_default=None, metadata={"description": "Required if the seat has a public key."}
)


class Acting(Input):
    """The seat, if the caller holds or acts for several."""

    seat = SeatNumber(0, MOST_SEATS - 1, load_default=None)


class Signing(Acting):
    """The same, with a signature if the seat has a key."""

    signed = SIGNED


GUIDES = {tag for rules in referee.newest() for tag in referee.texts.guide_languages(rules.ID, rules.VERSION)}
MOST_ITEMS = "The maximum number of items on a page."


class Pages(Input):
    """Which page of a list."""

    limit = QueryWhole(1, 200, load_default=50, about="The maximum number of items on a page.")
    cursor = Cursor(about="The `next` of the previous page.")

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        return {"page": Page(data.pop("limit"), data.pop("cursor", None)), **data}


class InLanguage(Input):
    """The language of a game's own words."""

    language = Choice(
        *languages.NAMES,
        *sorted(GUIDES - languages.NAMES.keys()),
        load_default=languages.ENGLISH,
        about="The language of `summary`, `how_to_play`, `rules`, `text` and `words`. Texts that the ruleset"
        " does not have in it stay English.",
    )


class TurnPages(Pages):
    """Which page of the inbox."""

    cursor = TurnCursor(about="The `next` of the previous page.")


class LabelledPages(Pages, Filters):
    """Which page of a list of labelled objects."""


class SeqCursor(QueryWhole):
    """The `next` of a page of a log: a seq, as text like every `next`, or an integer."""

    def __init__(self, **more: Any) -> None:
        super().__init__(0, **more)
        self.keywords = {**self.keywords, "type": ["string", "integer"], "pattern": "^[0-9]{1,10}$"}


class EventPages(Input):
    """Which part of the log."""

    after = QueryWhole(0, load_default=0, about="Only entries after this seq.")
    cursor = SeqCursor(about="The `next` of the previous page.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    seat = QueryWhole(0, MOST_SEATS - 1, about="Only entries whose `seat` is this one.")
    since = Time(about="Only entries at this time or later.")


class AtVersion(Input):
    """Which version of a game."""

    version = QueryWhole(1, about="The game as it was at this version.")


class ForSeat(Input):
    """For which seat."""

    seat = QueryWhole(0, MOST_SEATS - 1, about="The seat, if the caller holds or acts for several.")

"""Labels that an app gives its players, games and webhooks, and by which it finds them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load

from api.core.labels import LONGEST_ID, LONGEST_KEY, LONGEST_TITLE, LONGEST_VALUE, MOST_KEYS
from api.schemas.fields import CONTROLS, ENFORCED, TEXT_PATTERN, Described, Message, Several
from api.schemas.members import Map, String
from api.schemas.patterns import Pattern
from api.schemas.shapes import Answer, Input
from api.store.labels import LabelFilter

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


class Pair(Pattern):
    """A key and a value, with a colon between them."""

    pattern = rf"^[^:\x00]{{1,{LONGEST_KEY}}}:[^\x00]{{1,{LONGEST_VALUE}}}$"
    what = "a key, a colon and a value"

    def read(self, text: str) -> tuple[str, str]:
        """Split the pair. Raises ValidationError."""
        key, _, value = text.partition(":")
        return read_key(key), value


class Metadata(Described, fields.Dict):
    """Key-value pairs of strings; a key whose value is null or empty is removed."""

    keywords: Mapping[str, Any] = {
        "type": "object",
        "maxProperties": MOST_KEYS,
        "propertyNames": {"pattern": f"^{KEY.pattern}$"},
        ENFORCED: ["propertyNames"],
        "additionalProperties": {
            "type": ["string", "null"],
            "maxLength": LONGEST_VALUE,
            "pattern": TEXT_PATTERN,
            ENFORCED: ["pattern"],
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
    metadata = Several(
        Pair(),
        alone=True,
        commas=False,
        about="Only objects with this pair in their metadata: a key, a colon, the value. Repeat the "
        "parameter for several pairs, all of which they must have.",
    )

    @post_load
    def labels(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        labels = LabelFilter(data.pop("external_id", None), data.pop("metadata", ()))
        return {**data, "labels": labels}


class Labels(Answer):
    """The labels that an app has given, shown only to the app."""

    external_id = String(null=True, optional=True, about="The app's own id; shown only to the app.")
    metadata = Map(String(), optional=True, about="Data of the app; shown only to the app.")

"""What an app writes on its own players, games and webhooks: its own id for each, and key-value pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from unicodedata import normalize

from api.core.errors import BadRequest

MOST_KEYS, LONGEST_KEY, LONGEST_VALUE = 50, 40, 500  # Stripe's limits of its `metadata`
LONGEST_ID, LONGEST_TITLE = 200, 200


class Labels(NamedTuple):
    """An app's own id of a thing, unique among its things of that kind, and whatever it notes of it."""

    external_id: str | None = None
    metadata: Mapping[str, str] = {}

    def changed(self, wanted: Mapping[str, Any]) -> Labels:
        """Return these with what a request wants changed: of the metadata the keys that it names.

        A key whose value is null or empty is taken out; `metadata` null takes all out. Raises BadRequest
        where more keys would be left than there may be.
        """
        external_id = wanted.get("external_id", self.external_id)
        # Earlier builds kept keys in any form; in NFC a request can name them.
        metadata = {normalize("NFC", key): value for key, value in self.metadata.items()}
        if "metadata" in wanted:
            given = wanted["metadata"]
            metadata = {} if given is None else metadata | given
        metadata = {key: value for key, value in metadata.items() if value}
        if len(metadata) > MOST_KEYS:
            raise BadRequest({"metadata": [f"Must have at most {MOST_KEYS} keys."]})
        return Labels(external_id, metadata)

    def to_json(self) -> dict[str, Any]:
        """Return them as an app is shown them."""
        return {"external_id": self.external_id, "metadata": dict(self.metadata)}

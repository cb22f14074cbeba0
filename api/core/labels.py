"""Labels that an app gives its players, games and webhooks: an id of its own, and key-value pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from unicodedata import normalize

from api.core.errors import BadRequest

MOST_KEYS, LONGEST_KEY, LONGEST_VALUE = 50, 40, 500  # Stripe's limits of its `metadata`
LONGEST_ID, LONGEST_TITLE = 200, 200


class Labels(NamedTuple):
    """An app's own id of a resource, unique among its resources of that kind, and its metadata."""

    external_id: str | None = None
    metadata: Mapping[str, str] = {}

    def changed(self, changes: Mapping[str, Any]) -> Labels:
        """Return these labels with the changes of a request; only the metadata keys that it names change.

        A key whose value is null or empty is removed; `metadata` null removes all keys. Raises BadRequest if
        too many keys would be left.
        """
        external_id = changes.get("external_id", self.external_id)
        # Earlier releases accepted keys in any form; a request can only name them in NFC.
        metadata = {normalize("NFC", key): value for key, value in self.metadata.items()}
        if "metadata" in changes:
            pairs = changes["metadata"]
            metadata = {} if pairs is None else metadata | pairs
        metadata = {key: value for key, value in metadata.items() if value}
        if len(metadata) > MOST_KEYS:
            raise BadRequest({"metadata": [f"Must have at most {MOST_KEYS} keys."]})
        return Labels(external_id, metadata)

    def to_json(self) -> dict[str, Any]:
        """Return the form in which an app sees them."""
        return {"external_id": self.external_id, "metadata": dict(self.metadata)}

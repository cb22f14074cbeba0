"""What these operations accept."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError

from api.http.fields import Text

MOST_URL = 2000


def _is_web_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    printable = url.isascii() and url.isprintable() and " " not in url
    if not printable or parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValidationError("Must be an address such as https://example.org/notices.")
    if parts.username is not None or parts.fragment:
        raise ValidationError("Must have no user name, password or fragment.")


class Address(Text):
    """Where notices go: http or https."""

    pattern, format = "^https?://", "uri"

    def __init__(self, **more: Any) -> None:
        super().__init__(1, MOST_URL, **more)
        self.validators = [*self.validators, _is_web_address]

"""Names and texts in the generated modules."""

from __future__ import annotations

import keyword
import re
from typing import Any

HEADER = '"""Generated from the specification by `generator`."""\n\nfrom __future__ import annotations\n'


def docstring(schema: dict[str, Any], indent: str) -> str:
    """Return the description as a docstring, or nothing."""
    text = clean(str(schema.get("description", ""))).strip()
    return f'{indent}"""{text}"""\n' if text and indent else (f'"""{text}"""\n' if text else "")


def clean(text: str) -> str:
    """Return a text that can stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''") + " " * text.endswith('"')


def camel(name: str) -> str:
    """Return the name of a type for the name of a member."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^0-9A-Za-z]+", name))


def is_name(text: str) -> bool:
    """Return whether a member can be written in a class."""
    return text.isidentifier() and not keyword.iskeyword(text)


def safe(name: str) -> str:
    """Return the name of an argument."""
    name = re.sub(r"\W", "_", name)
    return f"{name}_" if keyword.iskeyword(name) else name

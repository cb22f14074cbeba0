"""The modules of the resources, for threads and for coroutines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from generator.operations import JSON, Method, Resource, depth_first
from generator.texts import HEADER, clean, safe
from generator.types import annotation


def module(root: Resource, asynchronous: bool) -> str:
    """Return the module of all resources."""
    client = "core.AsyncTransport" if asynchronous else "core.Transport"
    parts = [
        HEADER,
        "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal, cast\n",
        "from card_referee_client import core\nfrom card_referee_client.core import OMITTED\n"
        "from card_referee_client.generated import types\n",
    ]
    for resource in depth_first(root):
        if resource is not root:
            parts.append(resource_class(resource, client, asynchronous))
    lines = [
        "class Resources:",
        '    """The resources of the API."""',
        "",
        f"    def __init__(self, transport: {client}) -> None:",
    ]
    lines += [f"        self.{name} = {inner.name}(transport)" for name, inner in root.inner.items()]
    return "\n\n".join(part for part in [*parts, "\n".join(lines)] if part) + "\n"


def resource_class(resource: Resource, client: str, asynchronous: bool) -> str:
    """Return the class of a resource."""
    title = re.sub(r"(?<!^)([A-Z])", r" \1", resource.name).lower()
    lines = [f"class {resource.name}:", f'    """Operations of `{title}`."""', ""]
    lines.append(f"    def __init__(self, transport: {client}) -> None:")
    lines.append("        self._transport = transport")
    lines += [f"        self.{name} = {inner.name}(transport)" for name, inner in resource.inner.items()]
    for method in resource.methods:
        lines += ["", textwrap.indent(method_code(method, asynchronous), "    ")]
        stream = method.stream()
        if stream is not None:
            lines += ["", textwrap.indent(follow_code(method, stream, asynchronous), "    ")]
    return "\n".join(lines)


def method_code(method: Method, asynchronous: bool) -> str:
    """Return a method."""
    media, schema = method.answer()
    item = method.item()
    prefix = "core.Async" if asynchronous else "core."
    given, about = arguments(method, listing=item is not None)
    if item is not None:
        call = f"return {prefix}Listing(self._transport, {target(method)}, {query_of(method)})"
        page = annotation(schema, "", None, "types.")
        return assembled(method, given, f"{prefix}Listing[{item}, {page}]", about, [call], "")
    kind = {"": "None", JSON: annotation(schema, "", None, "types.")}.get(media, "str")
    if media == "application/octet-stream":
        kind = "bytes"
    wait = "await " if asynchronous else ""
    call = f"{wait}self._transport.call({method.verb!r}, {target(method)}{extras(method, media)})"
    done = [call] if kind == "None" else [f"return cast({kind!r}, {call})"]
    return assembled(method, given, kind, about, done, "async " if asynchronous else "")


def follow_code(method: Method, stream: dict[str, Any], asynchronous: bool) -> str:
    """Return the method that follows a stream."""
    prefix = "core.Async" if asynchronous else "core."
    name = "follow" if method.name in ("list", "events") else f"follow_{method.name}"
    item = annotation(stream.get("x-itemSchema", {}), "", None, "types.")
    left_out = {"after", "cursor", "limit", "since"}
    given, about = arguments(method, left_out=left_out)
    at = next((i for i, one in enumerate(given) if one == "*"), len(given))
    if at == len(given):
        given.append("*")
    given.insert(at + 1, "after: str | int | None = None")
    about = ["after: the id of the last event that you know.", *about]
    call = (
        f"return {prefix}Events(self._transport, {target(method)}, {query_of(method, left_out)}, after, "
        f"resumes={'/me/turns' not in method.path})"
    )
    code = assembled(method, given, f"{prefix}Events[{item}]", about, [call], "", name=name)
    return code.replace(
        '"""', '"""Follow the stream, which resumes by itself after interruptions.\n\n    ', 1
    )


def assembled(
    method: Method,
    given: list[str],
    kind: str,
    about: list[str],
    lines: list[str],
    start: str,
    name: str | None = None,
) -> str:
    """Return the text of a method."""
    signature = ", ".join(["self", *given])
    operation = method.operation
    description = str(operation.get("description", ""))
    summary = str(operation.get("summary", "")).rstrip(".") + "."
    text = [summary, description if description != summary else ""]
    if about:
        text.append("\n".join(about))
    shown = textwrap.indent("\n\n".join(clean(part) for part in text if part.strip()), "    ").strip()
    body = textwrap.indent("\n".join(lines), "    ")
    return f'{start}def {name or method.name}({signature}) -> {kind}:\n    """{shown}\n    """\n{body}'


def arguments(
    method: Method, listing: bool = False, left_out: Iterable[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the arguments of a method, and what its docstring says about them."""
    # Any text, so that values can be chosen at run time, such as the rulesets of other servers.
    basic = {"integer": "int"}
    first = [
        f"{safe(one['name'])}: {basic.get(one['schema'].get('type'), 'str')}"
        for one in method.parameters("path")
    ]
    about: list[str] = []
    body = method.body()
    positional = "move" if method.name in ("move", "try_move") else None
    if positional:
        first.append(f"{positional}: Mapping[str, Any]")
    named = []
    for name, shape in sorted(body.items(), key=lambda pair: not pair[1].get("required")):
        if name != positional:
            named.append(argument(name, shape, about, "OMITTED"))
    for one in method.query():
        if one["name"] not in left_out and not (listing and one["name"] == "cursor"):
            shape = {**one["schema"], "description": one.get("description", "")}
            named.append(argument(one["name"], shape, about, "None"))
    headers = method.headers()
    if "If-Match" in headers:
        named.append("version: int | str | None = None")
        about.append("version: act only if the game still has this version (or this ETag or hash).")
    if "Idempotency-Key" in headers:
        named.append("idempotency_key: str | None = None")
        about.append("idempotency_key: made for each call; pass your own to repeat a call after a restart.")
    return first + (["*", *named] if named else []), about


def argument(name: str, shape: dict[str, Any], about: list[str], default: str) -> str:
    """Return a named argument."""
    kind = annotation(shape, "", None, "types.")
    if kind.startswith("Mapping") or kind == "Any":
        kind = "Mapping[str, Any]" if shape.get("type") == "object" else kind
    kind = re.sub(r"(types\.[A-Za-z]+)", r"\1 | Mapping[str, Any]", kind) if "types." in kind else kind
    if shape.get("description"):
        about.append(f"{safe(name)}: {shape['description']}")
    if shape.get("required"):
        return f"{safe(name)}: {kind}"
    if default == "None" and kind != "Any" and "None" not in kind.split(" | "):
        kind += " | None"
    return f"{safe(name)}: {kind} = {default}"


def target(method: Method) -> str:
    """Return the path of a request, as an expression."""
    path = re.sub(r"\{(\w+)\}", lambda m: f"{{self._transport.quote({safe(m[1])})}}", method.path)
    return f'f"{path}"' if "{" in path else f'"{path}"'


def query_of(method: Method, left_out: Iterable[str] = ()) -> str:
    """Return the query of a request, as an expression."""
    names = [one["name"] for one in method.query() if one["name"] not in {"cursor", *left_out}]
    return "{" + ", ".join(f'"{name}": {safe(name)}' for name in names) + "}"


def extras(method: Method, media: str) -> str:
    """Return the other arguments of the call."""
    found, headers, body = [], method.headers(), method.body()
    if method.query():
        names = ", ".join(f'"{one["name"]}": {safe(one["name"])}' for one in method.query())
        found.append(f"query={{{names}}}")
    if method.operation.get("requestBody"):
        found.append("body={" + ", ".join(f'"{name}": {safe(name)}' for name in body) + "}")
    if "If-Match" in headers:
        found.append("version=version")
    if "Idempotency-Key" in headers:
        found.append("idempotency_key=idempotency_key")
    if "If-None-Match" in headers:
        found.append("cached=True")
    if media and media != JSON:
        found.append(f"media={media!r}")
    return "".join(f", {each}" for each in found)

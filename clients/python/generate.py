"""Generates the types, errors and resources of the package from the API's specification.

`setup.py` does so during each build. A source distribution has no specification and already contains them.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
GENERATED = HERE / "card_referee_client" / "generated"
NAMES = HERE.parent / "operations.yaml"
STREAM, JSON = "text/event-stream", "application/json"
BASIC = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEADER = '"""Generated from the specification by `generate.py`."""\n\nfrom __future__ import annotations\n'


def generate(specification: Path, target: Path = GENERATED) -> None:
    """Write the modules, unless they already come from this specification and this program."""
    if not specification.exists():
        return
    sources = (specification, Path(__file__), NAMES)
    digest, stamp = hashlib.sha256(b"".join(map(Path.read_bytes, sources))).hexdigest(), target / "made-from"
    if stamp.exists() and stamp.read_text() == digest:
        return
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    spec = yaml.load(specification.read_bytes(), loader)
    names = yaml.load(NAMES.read_bytes(), loader)
    target.mkdir(exist_ok=True)
    resources = Resource.tree(spec, names)
    (target / "__init__.py").write_text('"""Generated from the specification."""\n')
    (target / "types.py").write_text(types(spec))
    (target / "errors.py").write_text(errors(spec))
    for name, asynchronous in (("resources", False), ("async_resources", True)):
        (target / f"{name}.py").write_text(module(resources, asynchronous))
    stamp.write_text(digest)


# --- types ------------------------------------------------------------------------------------------


def types(spec: dict[str, Any]) -> str:
    """Return the module of the types: a TypedDict for each kind of object, an alias for everything else."""
    parts = [HEADER, "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n"]
    parts.append("from collections.abc import Mapping, Sequence\n")
    for name, schema in spec["components"]["schemas"].items():
        if not name.endswith("Problem"):
            parts += declared(name, schema)
    return "\n".join(parts)


def declared(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the declarations of a schema; objects inside it get its name and the member's."""
    inner: list[str] = []
    if schema.get("type") == "object" and schema.get("properties"):
        yield from typed_dict(name, schema, inner)
    else:
        yield f"{name}: TypeAlias = {quoted(annotation(schema, name, inner))}\n{docstring(schema, '')}"
    yield from inner


def typed_dict(name: str, schema: dict[str, Any], inner: list[str]) -> Iterator[str]:
    """Yield the TypedDict of an object."""
    required = set(schema.get("required", ()))
    members = []
    for member, shape in schema["properties"].items():
        kind = annotation(shape, name + camel(member), inner)
        members.append((member, kind if member in required else f"NotRequired[{kind}]", shape))
    if all(is_name(member) for member, _, _ in members):
        lines = [f"class {name}(TypedDict):", docstring(schema, "    ")]
        for member, kind, shape in members:
            lines += [f"    {member}: {kind}", docstring(shape, "    ")]
        yield "\n".join(line for line in lines if line) + "\n"
    else:
        given = ", ".join(f'"{member}": "{kind}"' for member, kind, _ in members)
        yield f'{name} = TypedDict("{name}", {{{given}}})\n{docstring(schema, "")}'


def annotation(shape: dict[str, Any], name: str, inner: list[str] | None = None, where: str = "") -> str:
    """Return the type of a schema, as text. Objects in it are declared in `inner`, else they are mappings."""
    if "$ref" in shape:
        return where + shape["$ref"].rsplit("/", 1)[1]
    if "const" in shape:
        return f"Literal[{shape['const']!r}]"
    if "enum" in shape:
        return literal(shape["enum"])
    kinds = shape.get("oneOf") or shape.get("anyOf")
    if kinds:
        single = len([kind for kind in kinds if kind.get("type") != "null"]) == 1
        found = [
            annotation(kind, name if single else f"{name}{number}", inner, where)
            for number, kind in enumerate(kinds, 1)
        ]
        return " | ".join(dict.fromkeys(found))
    allowed = shape.get("type")
    if isinstance(allowed, list):
        each = [annotation({**shape, "type": kind}, name, inner, where) for kind in allowed]
        return " | ".join(dict.fromkeys(each))
    if allowed == "array":
        return f"Sequence[{annotation(shape.get('items', {}), name, inner, where)}]"
    if allowed == "object":
        if shape.get("properties") and inner is not None:
            inner.extend(declared(name, shape))
            return name
        values = shape.get("additionalProperties")
        held = annotation(values, name, inner, where) if isinstance(values, dict) else "Any"
        return f"Mapping[str, {held}]"
    return BASIC.get(str(allowed), "Any")


def literal(values: list[Any]) -> str:
    """Return the type of one of these values."""
    shown = ", ".join(repr(value) for value in values if value is not None)
    return " | ".join([f"Literal[{shown}]"] * bool(shown) + ["None"] * (None in values))


def quoted(kind: str) -> str:
    """Return a type for an alias, which may name what is declared later."""
    return kind if re.fullmatch(r"[a-z]+", kind) else repr(kind)


# --- errors -----------------------------------------------------------------------------------------


def errors(spec: dict[str, Any]) -> str:
    """Return the module of the errors: one class for each type of problem."""
    parts = [HEADER, "from card_referee_client.api_error import ApiError\n"]
    known = {}
    for name, schema in spec["components"]["schemas"].items():
        kind = schema.get("properties", {}).get("type", {}).get("const")
        if name.endswith("Problem") and kind:
            known[kind] = name.removesuffix("Problem")
            about = schema.get("description") or f"The problem `{kind}`."
            parts.append(f"\nclass {known[kind]}(ApiError):\n{docstring({'description': about}, '    ')}\n")
    table = "".join(f"    {kind!r}: {name},\n" for kind, name in known.items())
    parts.append(f"\nBY_TYPE: dict[str, type[ApiError]] = {{\n{table}}}\n")
    return "\n".join(parts)


# --- resources --------------------------------------------------------------------------------------


@dataclass
class Method:
    """One operation as a method."""

    name: str
    verb: str
    path: str
    operation: dict[str, Any]
    spec: dict[str, Any]

    def parameters(self, where: str) -> list[dict[str, Any]]:
        """Return the parameters in the path, query or headers."""
        named = self.spec["components"]["parameters"]
        every = [
            named[one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
            for one in self.operation.get("parameters", ())
        ]
        return [one for one in every if one["in"] == where]

    def headers(self) -> set[str]:
        """Return the names of its headers."""
        return {one["name"] for one in self.parameters("header")}

    def answer(self) -> tuple[str, dict[str, Any]]:
        """Return the media type and the schema of a success; nothing for no content."""
        for status, answer in self.operation["responses"].items():
            for media, content in answer.get("content", {}).items() if status < "300" else ():
                return media, content["schema"]
        return "", {}

    def stream(self) -> dict[str, Any] | None:
        """Return the schema of the stream's items, if it can be followed."""
        content = self.operation["responses"].get("200", {}).get("content", {})
        return content[STREAM]["schema"] if STREAM in content else None

    def item(self) -> str | None:
        """Return the type of the items, if the answer is a page of a list."""
        _, schema = self.answer()
        page = self.resolved(schema).get("properties", {})
        if "items" in page and "next" in page and any(one["name"] == "cursor" for one in self.query()):
            return annotation(page["items"]["items"], "", None, "types.")
        return None

    def query(self) -> list[dict[str, Any]]:
        """Return its query parameters."""
        return self.parameters("query")

    def body(self) -> dict[str, dict[str, Any]]:
        """Return the members of the body, each with its schema and whether it is `required`."""
        content = self.operation.get("requestBody", {}).get("content", {})
        return self.members(content[JSON]["schema"]) if JSON in content else {}

    def members(self, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the members of an object; of a union, those of all kinds."""
        schema = self.resolved(schema)
        if "oneOf" not in schema:
            needed = schema.get("required", ())
            return {n: {**s, "required": n in needed} for n, s in schema.get("properties", {}).items()}
        found: dict[str, dict[str, Any]] = {}
        for kind in schema["oneOf"]:
            for name, shape in self.members(kind).items():
                found[name] = shape if found.get(name, shape) == shape else loosened(found[name], shape)
        return found

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return what a reference refers to."""
        if "$ref" in schema:
            found: dict[str, Any] = self.spec["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            return found
        return schema


def loosened(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for values of both."""
    required = bool(one.get("required") and other.get("required"))
    if all("const" in each or each.get("type") == "string" for each in (one, other)):
        return {"type": "string", "required": required}
    if one.get("type") == other.get("type") == "array" and one.get("items") == other.get("items"):
        return {"type": "array", "items": one["items"], "required": required}
    return {"type": "object" if one.get("type") == "object" else None, "required": required}


@dataclass
class Resource:
    """A resource: its methods, and the resources inside it."""

    name: str
    methods: list[Method] = field(default_factory=list)
    inner: dict[str, Resource] = field(default_factory=dict)

    @classmethod
    def tree(cls, spec: dict[str, Any], names: dict[str, str]) -> Resource:
        """Return the root of all resources."""
        root = cls("")
        for path, item in spec["paths"].items():
            for verb, operation in item.items():
                if not isinstance(operation, dict):
                    continue
                known = names.get(operation["operationId"])
                dotted = known or f"{operation['tags'][0].replace(' ', '_')}.{operation['operationId']}"
                *place, last = dotted.split(".")
                here = root
                for step in place:
                    here = here.inner.setdefault(step, cls(f"{here.name}{camel(step)}"))
                here.methods.append(Method(last, verb.upper(), path, operation, spec))
        return root


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


def depth_first(resource: Resource) -> Iterator[Resource]:
    """Yield the resources, those inside another one before it."""
    for inner in resource.inner.values():
        yield from depth_first(inner)
    yield resource


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
        return assembled(method, given, f"{prefix}Listing[{item}]", about, [call], "")
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
    last = "after" if any(one["name"] == "after" for one in method.query()) else "cursor"
    left_out = {"after", "cursor", "limit", "wait", "since"}
    given, about = arguments(method, left_out=left_out)
    kind = "str | int | None" if last == "after" else "str | None"
    at = next((i for i, one in enumerate(given) if one == "*"), len(given))
    if at == len(given):
        given.append("*")
    given.insert(at + 1, f"{last}: {kind} = None")
    about = [f"{last}: the id of the last event that you know.", *about]
    call = (
        f"return {prefix}Events(self._transport, {target(method)}, {query_of(method, left_out)}, {last}, "
        f"resumes={last == 'after' or '/me/turns' not in method.path})"
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
    first = [f"{safe(one['name'])}: {annotation(one['schema'], '')}" for one in method.parameters("path")]
    about, body = [], method.body()
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


# --- text -------------------------------------------------------------------------------------------


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


if __name__ == "__main__":
    generate(HERE.parents[1] / "openapi.yaml")

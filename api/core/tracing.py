"""Traces of requests and deliveries, by OpenTelemetry, if the operator wants them.

The standard variables (OTEL_…) switch it on and name the destination; without them, nothing of OpenTelemetry
is imported. This module decides what a span contains: routes, events, statuses. It
never contains a path, a header, a body or the message of an exception, and therefore no token and no card.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from api.core.config import StartError

NAME = "card-referee"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PARENT = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}").fullmatch
FAILED = 500  # statuses from here on are the server's fault

_tracer: Any = None  # OpenTelemetry's, if requests are traced


def traces() -> bool:
    """Return whether this process creates spans."""
    return _tracer is not None


Span = Any
"""A span of OpenTelemetry, which need not be installed."""


def exporter_of(environ: Mapping[str, str]) -> str:
    """Return which exporter the environment asks for, or "" for none."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    exporter = environ.get("OTEL_TRACES_EXPORTER", "")
    if not exporter and any(environ.get(name) for name in ENDPOINTS):
        return "otlp"
    return "" if exporter == "none" else exporter


def configure() -> None:
    """Start tracing if the environment asks for it. Raises StartError if that is impossible."""
    exporter = exporter_of(os.environ)
    if not exporter:
        return
    if exporter not in ("otlp", "console"):
        raise StartError(f"OTEL_TRACES_EXPORTER: {exporter!r} is none of otlp, console and none.")
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
    except ImportError:
        raise StartError("Traces need OpenTelemetry: pip install 'card-referee-server[tracing]'.") from None
    chosen: SpanExporter = ConsoleSpanExporter()
    if exporter == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        chosen = OTLPSpanExporter()
    resource = Resource.create()
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": NAME}))
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(chosen))
    use(provider)


def use(provider: Any) -> None:
    """Create spans with this provider from now on; None stops tracing."""
    global _tracer
    _tracer = None if provider is None else provider.get_tracer(NAME)


@contextmanager
def span(name: str, kind: str = "INTERNAL", **attributes: str | int) -> Iterator[Span | None]:
    """Create a span for the block, within the current span. In attribute names, write dots as `__`.

    If the block raises an exception, the span contains only its type.
    """
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    with _tracer.start_as_current_span(
        name, kind=SpanKind[kind], record_exception=False, set_status_on_exception=False
    ) as current:
        current.set_attributes({key.replace("__", "."): value for key, value in attributes.items()})
        try:
            yield current
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(Status(StatusCode.ERROR))
            raise


@contextmanager
def under(parent: str | None, name: str, kind: str, **attributes: str | int) -> Iterator[Span | None]:
    """Create a span under a remote one, named by its `traceparent`; without a parent, begin a new trace."""
    if _tracer is None:
        yield None
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {"traceparent": parent} if parent and PARENT(parent) else {}
    token = context.attach(TraceContextTextMapPropagator().extract(carrier, context.Context()))
    try:
        with span(name, kind, **attributes) as current:
            yield current
    finally:
        context.detach(token)


def parent() -> str | None:
    """Return the `traceparent` (W3C Trace Context) of the current span, for the next process, or None."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


def answered(current: Span, method: str, route: str, status: int) -> None:
    """Name the span of a request after its method and route, and record the status."""
    from opentelemetry.trace import Status, StatusCode

    current.update_name(f"{method} {route}")
    current.set_attributes({"http.route": route, "http.response.status_code": status})
    if status >= FAILED:
        current.set_status(Status(StatusCode.ERROR))

"""One trace from a request through its statements to the deliveries that it causes, without secrets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.context import Context
from api.core import tracing
from api.core.config import Settings, StartError
from api.features import load_features
from api.store.database.session import Database, Session
from tests.servers.receiver import deliver, receiving
from tests.support.callers import Caller, Clock, first_move, new_game

TRACE, ABOVE = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
ASKED = {"traceparent": f"00-{TRACE}-{ABOVE}-01", "tracestate": "vendor=secret"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings that permit webhooks to internal addresses, where the tests' receiver listens."""
    return replace(settings, allow_private_webhooks=True, webhook_ports=None)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(provider)
    yield exporter
    tracing.use(None)
    provider.shutdown()


@pytest.fixture
def context(app: Flask, clock: Clock, workers_database: Database) -> Iterator[Context]:
    session = Session(workers_database)
    yield Context(app.extensions["card_referee"].settings, session, load_features().hooks, clock)
    session.close()


def above(span: ReadableSpan) -> str:
    return "" if span.parent is None else f"{span.parent.span_id:016x}"


def own(span: ReadableSpan) -> str:
    found = span.get_span_context()
    assert found is not None
    return f"{found.span_id:016x}"


def test_requests_and_deliveries_are_spans(
    host: Caller, four: list[Caller], context: Context, spans: InMemorySpanExporter
) -> None:
    with receiving() as receiver:
        secret = host.post("/v1/webhooks", {"url": f"{receiver.url}/in?password=hidden"}).json["secret"]
        game = new_game(host, four)
        mover = four[game["to_act"][0]]
        move = first_move(mover, game)
        deliver(context)
        spans.clear()
        body = {"move": move}
        done = mover.post(f"/v1/games/{game['id']}/moves", body, headers=ASKED)
        assert done.status_code == 201
        deliver(context)
        request = receiver.requests[-1]

    found = [span for span in spans.get_finished_spans() if span.context.trace_id == int(TRACE, 16)]
    named = {span.name: span for span in found}
    root = named["POST /v1/games/<uuid:game>/moves"]
    assert above(root) == ABOVE
    assert root.attributes is not None
    assert root.attributes["http.response.status_code"] == 201
    assert [*named] == ["POST /v1/games/<uuid:game>/moves"]
    delivery = [span for span in spans.get_finished_spans() if span.name == "deliver turn.began"][-1]
    assert delivery.attributes is not None
    assert delivery.attributes["http.response.status_code"] == 204
    assert request["headers"]["traceparent"].split("-")[1] == f"{delivery.context.trace_id:032x}"

    exported = json.dumps([json.loads(span.to_json()) for span in spans.get_finished_spans()])
    cards = [value for value in move.values() if isinstance(value, str) and value != move["type"]]
    tokens = [str(caller.token) for caller in (host, *four)]
    for hidden in (*tokens, *cards, secret, "hidden", "vendor", game["id"]):
        assert f'"{hidden}"' not in exported
        assert len(hidden) < 5 or hidden not in exported


def test_an_error_leaves_its_type_alone(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="S12"), tracing.span("work"):
        raise ValueError("the card S12")
    (span,) = spans.get_finished_spans()
    assert not span.status.is_ok
    assert span.attributes == {"error.type": "ValueError"}
    assert "S12" not in span.to_json()


def test_only_requests_are_traced(context: Context, spans: InMemorySpanExporter) -> None:
    context.session.execute("SELECT 1")
    deliver(context)
    assert spans.get_finished_spans() == ()


def test_nothing_is_imported_unless_tracing_is_enabled() -> None:
    program = (
        "import sys, api.app, api.run.worker; from api.core import tracing; tracing.configure()\n"
        "with tracing.span('x') as made: assert made is None and tracing.parent() is None\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("environ", "exporter"),
    [
        ({}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, ""),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
    ],
)
def test_the_standard_variables_enable_tracing(environ: dict[str, str], exporter: str) -> None:
    assert tracing.exporter_of(environ) == exporter


def test_an_unknown_exporter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "pigeon")
    with pytest.raises(StartError, match="pigeon"):
        tracing.configure()

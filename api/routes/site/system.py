"""For operators: is the process alive, is the service ready, and what does it speak."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, current_app

from api.core.context import Context
from api.http import auth, health
from api.http.operation import operation
from api.ops import metrics

blueprint = Blueprint("system", __name__)


@operation(
    blueprint,
    "GET",
    "/healthz",
    audience=auth.ANYBODY,
    answers={200: "Health"},
)
def healthz(context: Context) -> Any:
    """Is the process alive?"""
    return {"status": "ok"}


@operation(
    blueprint,
    "GET",
    "/readyz",
    audience=auth.ANYBODY,
    answers={200: "Health"},
)
def readyz(context: Context) -> Any:
    """Is the service ready: does the database answer, and is its schema the newest?"""
    return health.ready(context)


@operation(
    blueprint,
    "GET",
    "/metrics",
    audience=auth.OPERATOR,
    answers={200: None},
    problems=("not-found",),
    produces=("text/plain",),
)
def get_metrics(context: Context) -> Any:
    """Numbers for Prometheus: requests, moves, followers, what is queued; no names, no ids."""
    return Response(metrics.exposition(health.waiting(context)), content_type=metrics.CONTENT_TYPE)


@operation(
    blueprint,
    "GET",
    "/openapi.yaml",
    audience=auth.ANYBODY,
    answers={200: None},
    produces=("application/yaml",),
)
def get_openapi(context: Context) -> Any:
    """Return this specification."""
    return Response(current_app.extensions["card_referee"].spec(), content_type="application/yaml")

"""For operators: whether the process is alive and the service ready, metrics, and the specification."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app

from api.context import Context
from api.game import receipts
from api.http import auth, health
from api.http.operation import Operations
from api.ops import metrics
from api.schemas.logs.records import LogKeyList
from api.schemas.people import Health, Specification
from api.schemas.requests.queries import KeysForGame

blueprint = Operations("system", __name__)


@blueprint.GET("/healthz", auth.ANYBODY, Health, checks=True)
def healthz(context: Context) -> Any:
    """Check that the process is alive."""
    return {"status": "ok"}


@blueprint.GET("/readyz", auth.ANYBODY, Health, checks=True)
def readyz(context: Context) -> Any:
    """Check that the service is ready: the database answers, has disk space and the right schema."""
    return health.ready(context)


@blueprint.GET("/metrics", auth.OPERATOR, checks=True, problems=("not-found",), produces=("text/plain",))
def get_metrics(context: Context) -> Any:
    """Return metrics for Prometheus: requests, moves, subscribers, queues; no names, no ids."""
    return Response(metrics.exposition(health.watched(context)), content_type=metrics.CONTENT_TYPE)


@blueprint.GET("/v1/log-keys", auth.ANYBODY, LogKeyList, query=KeysForGame)
def list_log_keys(context: Context, query: dict[str, Any]) -> Any:
    """List the current and former keys that sign receipts, newest first.

    A receipt is a C2SP checkpoint (`c2sp.org/tlog-checkpoint`): its origin is the key's name, a slash and the
    game's id. `referee verify --receipts` compares receipts with a record.
    """
    # The game is for a proxy in front of several cells, which has passed the request on by it.
    return receipts.listing(context)


@blueprint.GET("/openapi.json", auth.ANYBODY, Specification)
def get_openapi_json(context: Context) -> Any:
    """Return this specification as JSON."""
    return Response(current_app.extensions["card_referee"].spec_json(), content_type="application/json")


@blueprint.GET("/openapi.yaml", auth.ANYBODY, produces=("application/yaml",))
def get_openapi(context: Context) -> Any:
    """Return this specification."""
    return Response(current_app.extensions["card_referee"].spec_yaml(), content_type="application/yaml")

"""The specification of this service."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app

from api.context import Context
from api.features.specification.specification import spec_json, spec_yaml
from api.http import auth
from api.http.members import String
from api.http.operation import Operations
from api.http.shapes import OpenAnswer

blueprint = Operations("specification", __name__, tag="system")


class Specification(OpenAnswer):
    """An OpenAPI document."""

    openapi = String()


@blueprint.GET("/openapi.json", auth.ANYBODY, Specification)
def get_openapi_json(context: Context) -> Any:
    """Return this specification as JSON."""
    features = current_app.extensions["card_referee"].features
    return Response(spec_json(features), content_type="application/json")


@blueprint.GET("/openapi.yaml", auth.ANYBODY, "The specification in YAML.", produces=("application/yaml",))
def get_openapi(context: Context) -> Any:
    """Return this specification."""
    features = current_app.extensions["card_referee"].features
    return Response(spec_yaml(features), content_type="application/yaml")

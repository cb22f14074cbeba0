"""The specification of this service."""

from __future__ import annotations

from typing import Any

from flask import Response

from api.context import Context
from api.core.errors import Overloaded
from api.feature import Features
from api.features.specification import file
from api.http import auth
from api.http.operation import Operations
from api.http.site import this_site

blueprint = Operations("specification", __name__, tag="system")
blueprint.record(lambda setup: file.begin(setup.app.extensions["card_referee"].features))


@blueprint.GET(
    "/openapi.yaml",
    auth.ANYBODY,
    "The specification in YAML.",
    produces=("application/yaml",),
    problems=("overloaded",),
)
def get_openapi(context: Context) -> Any:
    """Return this specification."""
    features = this_site().features
    return Response(_text(features), content_type="application/yaml")


def _text(features: Features) -> bytes:
    place = file.delivered(features) or file.own()
    if place is None:  # this application belongs to no server
        from api.features.specification.specification import spec_yaml

        return spec_yaml(features).encode()
    try:
        return place.read_bytes()
    except FileNotFoundError:
        raise Overloaded("The specification is being written; try again in a moment.") from None

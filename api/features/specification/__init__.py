"""The specification of what a service can do (OpenAPI), for programs that call it."""

from api.feature import Feature

FEATURE = Feature(
    "specification",
    routes=["routes"],
    commands=True,
)

"""The pages for people, and the documentation."""

from api.feature import Feature

FEATURE = Feature(
    "site",
    needs=["specification"],  # /docs reads /openapi.yaml
    routes=["pages", "docs", "guides"],
)

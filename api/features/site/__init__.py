"""The pages for people, guides, and the documentation."""

from api.feature import Feature

FEATURE = Feature(
    "site",
    needs=["specification"],  # /docs reads /openapi.yaml
    routes=["pages", "docs", "guides"],
)

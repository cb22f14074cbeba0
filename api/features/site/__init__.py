"""The pages for people, guides, and the documentation."""

from api.feature import Feature

FEATURE = Feature(
    "site",
    needs=["specification", "stateless"],  # /docs reads /openapi.yaml, pages of records replay them
    routes=["pages", "docs", "guides"],
)

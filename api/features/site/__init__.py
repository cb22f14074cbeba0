"""The pages for people, and the documentation."""

from api.feature import Feature

FEATURE = Feature(
    "site",
    routes=["pages", "docs", "guides"],
)

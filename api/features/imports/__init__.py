"""Games that were begun elsewhere: imported records."""

from api.feature import Feature
from api.features.imports import imports, tables

FEATURE = Feature(
    "imports",
    needs=["notices"],
    tables=[tables.imports],
    routes=["routes"],
    events=[imports.IMPORTED],
    problems=[imports.CommitmentKnown],
)

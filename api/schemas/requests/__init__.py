"""Bodies and queries that the API accepts, one class for each."""

"""Operation of the service: limits, logs, metrics, the headers of every answer."""

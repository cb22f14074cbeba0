"""What an operator looks at and turns: limits, logs, metrics, the headers of every answer."""

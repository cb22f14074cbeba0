"""The shapes of everything that the API accepts and answers; tests compare every answer with its shape."""

"""Shapes of all that the API accepts (enforced) and answers (held against every answer in the tests)."""

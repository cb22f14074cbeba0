"""Checks of a record: each looks at one promise and reports what it found."""

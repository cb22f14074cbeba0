"""Generated from the specification."""

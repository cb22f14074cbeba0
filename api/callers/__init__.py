"""The caller, the keys of an app, and its players."""

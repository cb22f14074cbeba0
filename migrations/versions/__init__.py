"""The migrations, one file for each. A released file is never changed."""

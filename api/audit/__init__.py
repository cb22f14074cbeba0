"""Records out and in, and the verification of stored logs."""

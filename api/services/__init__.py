"""What a request means: opens the transaction, asks the referee, writes the log."""

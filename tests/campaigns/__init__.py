"""Long trials of whole servers, each a command of its own."""

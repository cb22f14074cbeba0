"""Long trials of whole servers, each with its own command."""

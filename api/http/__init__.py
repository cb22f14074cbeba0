"""What all routes share: who may call, reading a request, answering it, problems."""

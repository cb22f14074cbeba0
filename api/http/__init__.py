"""What all routes share: authorisation, reading requests, answers and problems."""

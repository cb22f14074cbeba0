"""The web server: its processes, those that compute for it, and how they wait and end."""

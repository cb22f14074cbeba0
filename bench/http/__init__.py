"""Shared by the benchmarks over HTTP: the API on a real server, a bare application, and clients."""

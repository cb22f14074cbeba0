"""What the benchmarks over HTTP share: a served API, a bare floor beside it, and a crowd of clients."""

"""`python -m api.cli`, as `serve` starts its parts."""

from api.cli import main

main()

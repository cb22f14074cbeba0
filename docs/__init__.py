"""What writes the pages and pictures in this folder from the code: `make docs`, `make pictures`."""

"""Programs that write the pages and pictures in this folder from the code: `make docs`, `make pictures`."""

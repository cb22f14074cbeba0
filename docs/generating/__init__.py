"""Programs that write the pages and pictures of this folder: `make generate`, `make pictures`."""

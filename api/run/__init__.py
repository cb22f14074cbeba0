"""The processes: `serve`, web, worker, migrations."""

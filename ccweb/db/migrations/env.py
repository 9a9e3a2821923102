"""Runs the migrations on the connection that `ccweb.db.migrate` hands over."""

from alembic import context

from ccweb.db.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()

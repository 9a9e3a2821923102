"""The database: engine, tables, migrations, and how a process hears of another's commit."""

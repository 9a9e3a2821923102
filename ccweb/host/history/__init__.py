"""The history of the person's own programs: read, shown and gone on with, never changed."""

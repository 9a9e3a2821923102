"""The commands of a board, in one place: each is one transaction and tells the feed once."""

from ccweb.board.columns import board_at, create_column, delete_column, update_column
from ccweb.board.tasks import cancel_task, comment, create_task, link, move_task, update_task

__all__ = [
    "board_at",
    "cancel_task",
    "comment",
    "create_column",
    "create_task",
    "delete_column",
    "link",
    "move_task",
    "update_column",
    "update_task",
]

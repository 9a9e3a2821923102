"""What becomes of one tool: where it goes, what calls may send, and what an old thread sees."""

from codegen.explanation.changes import changes_of
from codegen.explanation.old_calls import OldName, old_name
from codegen.explanation.tools import Explanation, explained

__all__ = ["Explanation", "OldName", "changes_of", "explained", "old_name"]

"""The languages in which people read, and what `{en, zh}` stands for."""

from collections.abc import Mapping

LANGUAGES = ("en", "zh")
Text = Mapping[str, str]
"""The same text in each language."""

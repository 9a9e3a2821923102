"""The words of the page, one file a language beside the templates."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from ccweb_contract.enums import Lang

FOR_SCRIPTS: Final = "js."
"""Prefix of the words that the page's scripts use; they are served as a module."""


@cache
def words(lang: Lang) -> Mapping[str, str]:
    """Return every text of the page in a language, by key."""
    source = files("ccweb.hub").joinpath("templates", f"strings.{lang.value}.json")
    texts: dict[str, str] = json.loads(source.read_text(encoding="utf-8"))
    return texts


def script_words(lang: Lang) -> str:
    """Return the JavaScript module with the words that scripts use."""
    chosen = {
        key.removeprefix(FOR_SCRIPTS): value
        for key, value in words(lang).items()
        if key.startswith(FOR_SCRIPTS)
    }
    body = json.dumps({"lang": lang.value, "words": chosen}, ensure_ascii=False)
    return f"export const {{lang, words}} = {body};\n"

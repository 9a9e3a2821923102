"""Marked blocks inside documents that people write."""

import re
from collections.abc import Mapping

from codegen.problems import Problem

_BLOCK = re.compile(
    r"(?P<open><!-- generated:(?P<name>[a-z-]+) -->\n).*?(?P<close><!-- /generated:(?P=name) -->)",
    re.DOTALL,
)
_MARK = re.compile(r"<!-- /?generated:(?P<name>[a-z-]+) -->")


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """Return the document with its marked blocks renewed; everything else stays."""
    return _BLOCK.sub(lambda m: f"{m['open']}{blocks[m['name']]}{m['close']}", text)


def problems(text: str, blocks: Mapping[str, str]) -> list[Problem]:
    """Return what is wrong with a document's marks: each block opens and closes once."""
    found = []
    for name in sorted({*blocks, *(match["name"] for match in _MARK.finditer(text))}):
        marks = [match for match in _MARK.finditer(text) if match["name"] == name]
        if name not in blocks:
            message, rule = f"there is no block {name!r} to generate", "unknown-block"
        elif len(marks) == 2 and any(match["name"] == name for match in _BLOCK.finditer(text)):
            continue
        else:
            message = f"needs <!-- generated:{name} --> and <!-- /generated:{name} -->, once"
            rule = "missing-block"
        line = text.count("\n", 0, marks[0].start()) + 1 if marks else 1
        found.append(Problem(rule=rule, message=message, line=line))
    return found

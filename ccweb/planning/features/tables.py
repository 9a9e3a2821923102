"""Tables of features: which column names the feature, and which ones the module."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_NUMBER: Final = re.compile(r"[A-Za-z]{0,5}[-_#.]?\d+(?:[.．-]\d+)*")
_NAMES: Final = (
    ("feature", "features", "function", "功能", "功能点", "功能名", "功能名称", "功能项"),
    ("featurename", "requirement", "userstory", "story", "需求", "需求点", "需求名称", "用户故事"),
    ("name", "title", "item", "task", "capability", "名称", "标题", "事项", "任务", "子功能"),
    ("functionality", "description", "summary", "功能描述", "需求描述", "描述", "说明", "内容"),
)
"""Headers of the column that names the feature, the surest first."""
_MODULE: Final = re.compile(
    r"(?:sub)?(?:modules?|area|component|category|epic|group|section|domain)(?:name)?"
    r"|(?:所属|功能|业务|[一二三四]级|子)?(?:模块|分类|类别|菜单|系统|子系统|页面)(?:名称)?|领域|端"
)
_LEVEL: Final = re.compile(r"[一二三四]级(?:功能|需求)(?:点|名称)?")


_SPACES: Final = re.compile(r"[\s_\-/()（）]+")


def rows(table: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield modules and name of each row; a module that is left empty is that of the row above.

    A row that ends before the name is named by the innermost level that it has.
    """
    header, body = _header(table)
    modules, name = _columns(header, body)
    levels = [i for i in modules if _LEVEL.fullmatch(header[i])]
    path = [""] * len(modules)
    for row in body:
        path = _path(row, modules, path)
        if _cell(row, name):
            yield tuple(filter(None, path)), row[name]
        elif own := [i for i in levels if _cell(row, i)]:
            yield tuple(filter(None, path[: modules.index(own[-1])])), row[own[-1]]


def _path(row: Sequence[str], modules: Sequence[int], above: Sequence[str]) -> list[str]:
    """Return the modules of a row; below one of its own nothing of the row above goes on."""
    path: list[str] = []
    goes_on = True
    for column, kept in zip(modules, above, strict=True):
        cell = _cell(row, column)
        goes_on = goes_on and cell in ("", kept)
        path.append(cell or (kept if goes_on else ""))
    return path


def _cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def _header(table: Sequence[Sequence[str]]) -> tuple[list[str], list[Sequence[str]]]:
    """Return the folded header and the other rows; the header is empty where there is none."""
    body = [row for row in table if any(row)]
    if not body:
        return [], []
    first = [_SPACES.sub("", cell).casefold() for cell in body[0]]
    ruled = len(table) > 1 and table[0] == body[0] and not any(table[1])
    return (first, body[1:]) if ruled or any(map(_is_known, first)) else ([], body)


def _is_known(title: str) -> bool:
    named = any(title in names for names in _NAMES)
    return named or bool(_MODULE.fullmatch(title) or _LEVEL.fullmatch(title))


def _columns(header: Sequence[str], body: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Return the columns of the modules, outermost first, and the column of the name."""
    modules = [i for i, title in enumerate(header) if _MODULE.fullmatch(title)]
    levels = [i for i, title in enumerate(header) if _LEVEL.fullmatch(title)]
    for names in _NAMES:
        for i, title in enumerate(header):
            if title in names:
                return sorted(modules + levels), i
    if levels:
        return sorted(modules + levels[:-1]), levels[-1]
    name = _first_text_column(body, modules)
    return [i for i in modules if i != name], name


def _first_text_column(body: Sequence[Sequence[str]], modules: Sequence[int]) -> int:
    """Return the first column that holds words and no mere numbers in most of its cells."""
    for column in range(max(map(len, body), default=0)):
        cells = [row[column] for row in body if _cell(row, column)]
        words = sum(not _NUMBER.fullmatch(cell) for cell in cells)
        if column not in modules and 2 * words > len(cells):
            return column
    return modules[-1] if modules else 0

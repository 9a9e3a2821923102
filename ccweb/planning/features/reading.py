"""Reading: a working tree's text files as an index of the words that they hold."""

import os
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ccweb.planning.features.words import counted

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 32 * 1024 * 1024
MOST_FILE_BYTES: Final = 512 * 1024
_LARGE_BYTES: Final = 64 * 1024
"""From this size on a file is rather data than written: it is read when all others have been."""
_SNIFFED: Final = 8 * 1024
_LEFT_OUT: Final = re.compile(
    r"\.(?:git|hg|svn|venv|tox|nox|cache|idea|vscode|hypothesis|gradle|next|nuxt|terraform|yarn|\w+_cache)"
    r"|venv|node_modules|bower_components|__pycache__|site-packages|dist|build|target|out|coverage"
    r"|vendor|Pods|DerivedData"
)
"""Folders that hold what others wrote or what is made from the rest."""
_MADE: Final = re.compile(
    r"(?:.*[.-]lock(?:\.json|\.ya?ml)?|go\.sum|.*\.min\.(?:js|css)|.*\.(?:map|svg|pyc|snap))$"
)
"""Files that are made and not written."""
_UNNAMED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no name may hold that is to stand in an answer: half characters, and what is not seen."""
_MOST_IGNORED: Final = 1000
_MOST_STARS: Final = 3
"""How many a pattern may have before each name could cost seconds."""

_DEFINITION: Final = re.compile(
    r"\b(?:def|class|function|func|fn|fun|interface|type|struct|enum|trait|module|namespace|record"
    r"|protocol|object|const|let|var|TABLE|VIEW)[ \t]+(?:IF NOT EXISTS )?[\"'`(]?(\w+)"
)
_KEY: Final = re.compile(r"^ {0,4}[\"']?([\w-]+)[\"']?:", re.MULTILINE)
_TITLE: Final = re.compile(r"^(?:#{1,6}|=+)[ \t]+(.+)$", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:#!.*\n)?\s*(?:\"{3}|'{3}|//+|/\*+|#+|<!--|--|;+)[ \t]*(.{1,200})")
_PROSE: Final = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".mdx"})
_KEYED: Final = frozenset({".yaml", ".yml"})


class Place(IntEnum):
    """Where in a file a word stands: the higher, the more the file is about it."""

    MENTIONED = 0
    DEFINED = 1
    """In the name of what is defined there, in a title, or in the line that says what it is."""
    NAMED = 2
    """In the path."""


class Posting(NamedTuple):
    """That a file holds a word."""

    file: int
    times: int
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A working tree as it was read."""

    root: Path
    files: Sequence[str]
    """Paths from the root, the nearest to it first and large files last."""
    lengths: Sequence[int]
    """How many words each holds."""
    postings: Mapping[str, Sequence[Posting]]
    """The files of each word."""


def read(root: Path) -> Tree:
    """Return the words of all text files below a folder that git would keep.

    What `.gitignore` names is left out, as are links, files that are not text or too large, and
    what lies so deep, or is so large, that `MOST_FILES` files or `MOST_BYTES` bytes come before.
    """
    files: list[str] = []
    lengths: list[int] = []
    postings: dict[str, list[Posting]] = defaultdict(list)
    for path, text in _texts(root):
        words = counted(text)
        _index(postings, len(files), path, text, words)
        files.append(path)
        lengths.append(sum(words.values()))
    return Tree(root=root, files=files, lengths=lengths, postings=dict(postings))


def text_of(root: Path, path: str) -> str:
    """Return the text of a file; empty when it is none."""
    return _text(root / path) or ""


def _index(
    postings: Mapping[str, list[Posting]],
    file: int,
    path: str,
    text: str,
    words: Mapping[str, int],
) -> None:
    named = counted(path)
    defined = counted(" ".join(_definitions(path, text)))
    for word in {**words, **named}:
        place = Place.MENTIONED
        if word in named:
            place = Place.NAMED
        elif word in defined:
            place = Place.DEFINED
        postings[word].append(Posting(file, words.get(word, 0), place))


def _definitions(path: str, text: str) -> Iterator[str]:
    if found := _COMMENT.match(text):
        yield found[1]
    match Path(path).suffix:
        case suffix if suffix in _PROSE:
            yield from _TITLE.findall(text)
        case suffix if suffix in _KEYED:
            yield from _KEY.findall(text)
        case _:
            yield from _DEFINITION.findall(text)


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of each text file, within the limits."""
    left_bytes = MOST_BYTES
    found = sorted(islice(_found(root), MOST_FILES), key=lambda one: one.size_bytes > _LARGE_BYTES)
    for path, _ in found:
        text = _text(root / path)
        if text is None:
            continue
        left_bytes -= len(text)
        if left_bytes < 0:
            return
        yield path, text


def _text(path: Path) -> str | None:
    """Return a file's text, None when it is too large, no text, or gone."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError:
        return None
    if len(content) > MOST_FILE_BYTES or b"\0" in content[:_SNIFFED]:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("gb18030", errors="replace")


@dataclass(frozen=True, slots=True)
class _Ignored:
    """What a folder's `.gitignore` says about what is below it."""

    folder: str
    spec: GitIgnoreSpec

    def names(self, path: str) -> bool | None:
        """Tell whether it leaves a path out; None when it says nothing about it."""
        return self.spec.check_file(path.removeprefix(self.folder)).include


class _File(NamedTuple):
    """A file that may be read."""

    path: str
    size_bytes: int


def _found(root: Path) -> Iterator[_File]:
    """Yield the files that may be read, folder by folder; links are not followed."""
    waiting: deque[tuple[str, tuple[_Ignored, ...]]] = deque([("", ())])
    while waiting:
        folder, above = waiting.popleft()
        entries = _entries(root / folder)
        ignored = (*above, *_ignored(root, folder, entries))
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not _LEFT_OUT.fullmatch(entry.name) and not _is_ignored(f"{path}/", ignored):
                    waiting.append((f"{path}/", ignored))
            elif _is_read(entry) and not _is_ignored(path, ignored):
                yield _File(path, _size_bytes(entry))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            named = [entry for entry in found if not _UNNAMED.search(entry.name)]
    except OSError:
        return []
    return sorted(named, key=lambda entry: entry.name)


def _size_bytes(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # gone since it was listed
        return 0


def _ignored(root: Path, folder: str, entries: Iterable[os.DirEntry[str]]) -> Iterator[_Ignored]:
    if any(entry.name == ".gitignore" and _is_read(entry) for entry in entries):
        lines = text_of(root, f"{folder}.gitignore").splitlines()[:_MOST_IGNORED]
        yield _Ignored(folder, GitIgnoreSpec(_patterns(lines)))


def _patterns(lines: Iterable[str]) -> Iterator[GitIgnoreSpecPattern]:
    """Yield the patterns of lines, but for those that are none or could take for ever."""
    for line in lines:
        folders = line.split("/")
        stars = [folder.count("*") for folder in folders if folder != "**"]
        if max([folders.count("**"), *stars]) > _MOST_STARS:
            continue
        try:
            yield GitIgnoreSpecPattern(line)
        except (ValueError, re.error):
            continue


def _is_ignored(path: str, ignored: Sequence[_Ignored]) -> bool:
    """Tell what the nearest file says that says something."""
    return next((said for one in reversed(ignored) if (said := one.names(path)) is not None), False)


def _is_read(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and not _MADE.match(entry.name)

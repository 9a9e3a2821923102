"""ccweb takes contract values from the generated package and writes none by hand (R-C5)."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ccweb_contract import prompts
from ccweb_contract.aliases import ALIASES
from ccweb_contract.enums import EXPLANATIONS, Lang
from ccweb_contract.errors import MEANINGS, REMEDIES, ErrorCode
from ccweb_contract.tools import TOOLS, ToolName
from tests.contract.golden_prompts import PROMPTS
from tests.contract.surfaces import ROOT

PRODUCT = ROOT / "ccweb"
MIGRATIONS = PRODUCT / "db" / "migrations"
SENTENCE = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？：])|\n+")
MANY_WORDS = 6
CHINESE = re.compile(r"[\u4e00-\u9fff]")
MANY_CHARACTERS = 12
NAMES = {*ToolName, *ALIASES}
WORDS = {value for enum in EXPLANATIONS for value in enum if "_" in value} | {
    code for code in ErrorCode if "_" in code
}
ALONE = set(ErrorCode) - WORDS


@dataclass(frozen=True, slots=True)
class Literal:
    """A string in the product's code."""

    place: str
    text: str


def literals(tree: ast.AST, place: str) -> Iterator[Literal]:
    """Yield every string of a module, parts of f-strings included, docstrings left out."""
    docstrings = {
        id(node.value)
        for block in ast.walk(tree)
        if isinstance(block, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for node in block.body
        if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                yield Literal(f"{place}:{node.lineno}", text)


def product() -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of the product but the migrations."""
    for path in sorted(PRODUCT.rglob("*.py")):
        if MIGRATIONS not in path.parents:
            yield path, ast.parse(path.read_text())


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are long enough to be recognised."""
    for sentence in SENTENCE.split(text):
        flat = " ".join(sentence.split())
        if len(flat.split()) >= MANY_WORDS or len(CHINESE.findall(flat)) >= MANY_CHARACTERS:
            yield flat


def contract_sentences() -> set[str]:
    """Return the sentences of every text of the contract."""
    texts = [tool.description for tool in TOOLS.values()]
    for lang in Lang:
        texts += [make(lang) for make in PROMPTS.values()]
        texts += [text[lang] for table in (MEANINGS, REMEDIES) for text in table.values()]
        texts += [text[lang] for values in EXPLANATIONS.values() for text in values.values()]
    return {sentence for text in texts for sentence in sentences(text)}


def written_by_hand(literal: str, known: set[str]) -> list[str]:
    """Return what a literal repeats of the contract."""
    words = re.findall(r"\w+", literal, re.ASCII)
    found = [word for word in words if word in NAMES or word in WORDS]
    found += [literal] if literal in ALONE else []
    flat = " ".join(literal.split())
    return found + [sentence for sentence in known if sentence in flat]


@pytest.mark.requirement("R-C5")
def test_no_name_code_value_or_sentence_of_the_contract_is_written_in_the_product() -> None:
    known = contract_sentences()
    found = [
        (literal.place, repeated)
        for path, tree in product()
        for literal in literals(tree, path.relative_to(ROOT).as_posix())
        if (repeated := written_by_hand(literal.text, known))
    ]
    assert found == []


@pytest.mark.requirement("R-C5")
@pytest.mark.parametrize(
    ("code", "repeated"),
    [
        ('call("ccweb_send_message")', ["ccweb_send_message"]),
        ('call("ccweb_request_reply")', ["ccweb_request_reply"]),
        ("x = f'{a} needs_you {b}'", ["needs_you"]),
        ("sql = \"WHERE mode = 'one_way'\"", ["one_way"]),
        ('code = "internal"', ["internal"]),
        ('code = "target_busy"', ["target_busy"]),
        (
            's = "Note: nothing is running or queued. End your turn and say that the target "'
            ' "was busy, or create a conversation for this work with x."',
            [],
        ),
        ('s = "Do not poll, and do not send it again in this turn."', None),
        ('s = "只有对话才能要求回传，而此调用方不是对话。"', None),
        ('"""Send with ccweb_send_message."""', []),
        ('def f():\n    """needs_you"""', []),
        ('s = "an internal door"', []),
        ('column = "conversation_id"', []),
    ],
)
def test_the_search_finds_what_is_written_by_hand_and_nothing_else(
    code: str, repeated: list[str] | None
) -> None:
    known = contract_sentences()
    found = [
        text
        for literal in literals(ast.parse(code), "x")
        for text in written_by_hand(literal.text, known)
    ]
    if repeated is None:
        assert len(found) == 1
        assert found[0] in code
    else:
        assert found == repeated


@pytest.mark.requirement("R-C5")
def test_the_page_writes_no_name_code_or_value_of_the_contract_by_hand() -> None:
    pages = [path for ext in ("js", "html") for path in sorted(PRODUCT.rglob(f"*.{ext}"))]
    found = {
        path.relative_to(ROOT).as_posix(): repeated
        for path in pages
        if (repeated := sorted((NAMES | WORDS) & {*re.findall(r"\w+", path.read_text())}))
    }
    assert found == {}


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the top-level names of what a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.requirement("R-C5")
def test_the_product_imports_neither_the_compiler_nor_yaml_and_opens_no_contract() -> None:
    importing = [p for p, tree in product() if {"codegen", "yaml"} & {*imported(tree)}]
    opening = [
        literal.place
        for path, tree in product()
        for literal in literals(tree, path.relative_to(ROOT).as_posix())
        if literal.text.startswith("contract/") or "tools.yaml" in literal.text
    ]
    assert importing == []
    assert opening == []


def test_the_search_knows_sentences_of_every_prompt_with_words_of_its_own() -> None:
    known = contract_sentences()
    assert set(sentences(prompts.server_instructions(Lang.EN))) <= known
    assert len(known) > 150

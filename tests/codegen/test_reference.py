"""The guide's tables hold every key of the meta-schema and every rule, and nothing else."""

import ast
import re
from collections.abc import Iterator

import pytest

from codegen import lint, reference
from codegen.compatibility.rules import RULES as BREAKING
from codegen.refusals import REFUSALS
from tests.codegen import test_refusals
from tests.codegen.projects import ROOT
from tests.codegen.test_meta_schema import SCHEMA, parts

BLOCKS = reference.blocks(SCHEMA)
KEBAB = re.compile(r"[a-z]+(-[a-z]+)+")


def first_cells(block: str) -> list[str]:
    """Return the code in the first cell of each row."""
    return re.findall(r"^\| `([^`]+)` \|", BLOCKS[block], re.MULTILINE)


def rules_in_code() -> Iterator[str]:
    """Yield each rule by which the compiler's own code refuses a contract."""
    for path in [*(ROOT / "codegen").glob("*.py"), *(ROOT / "codegen" / "rules").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())) if path.stem != "refusals" else ():
            if isinstance(node, ast.Call):
                given = [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
                is_own = isinstance(node.func, ast.Attribute) and node.func.attr == "_refuse"
                yield from _texts([*given, *(node.args if is_own else [])])


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and KEBAB.fullmatch(str(node.value)):
            yield str(node.value)


@pytest.mark.requirement("R-C2")
def test_every_rule_that_the_compiler_refuses_by_is_told() -> None:
    shown = {case.rule for case in test_refusals.CASES.values()}
    assert len(shown) > 40
    assert (shown | set(rules_in_code())) - REFUSALS.keys() == set()


@pytest.mark.requirement("R-C2")
def test_every_rule_that_is_told_is_one_that_a_refusal_shows() -> None:
    shown = {case.rule for case in test_refusals.CASES.values()}
    of_files = {"unreadable", "missing-block", "unknown-block"}
    assert REFUSALS.keys() - shown == of_files


@pytest.mark.requirement("R-C2")
def test_every_key_of_the_meta_schema_has_a_row_with_its_description() -> None:
    rows = BLOCKS["keys"]
    for _, schema in parts(SCHEMA):
        for key, child in schema.get("properties", {}).items():
            if (
                isinstance(child, dict)
                and "description" in child
                and "additionalProperties" in schema
            ):
                words = child["description"].replace("<", "&lt;").replace("|", "\\|")
                assert re.search(
                    rf"^\| `{re.escape(key)}` \| .* \| {re.escape(words)} \|$", rows, re.M
                )


def test_every_link_of_the_reference_leads_to_a_heading_of_the_guide() -> None:
    guide = (ROOT / "docs" / "contract.md").read_text()
    headings = re.findall(r"^#+ (.+)$", guide, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
    links = set(re.findall(r"\]\(#([^)]+)\)", guide))
    assert links
    assert links - slugs == set()


@pytest.mark.parametrize(
    ("block", "rules"),
    [
        ("refusals", list(REFUSALS)),
        ("lint", [rule.id for rule in lint.RULES]),
        ("breaking", list(BREAKING)),
    ],
)
def test_each_table_of_rules_has_a_row_for_each_rule(block: str, rules: list[str]) -> None:
    assert first_cells(block) == rules


def test_no_cell_of_a_table_is_taken_for_a_tag_or_breaks_its_row() -> None:
    for name, block in BLOCKS.items():
        for line in block.splitlines() if name != "picture" else ():
            bare = re.sub(r"`[^`]*`", "", line)
            assert "<" not in bare, line
    for name in ("keys", "refusals", "lint", "breaking"):
        tables = re.split(r"\n(?!\|)", BLOCKS[name])
        for table in tables:
            rows = [line for line in table.splitlines() if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, rows

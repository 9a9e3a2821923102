"""Whatever stands in a contract, the compiler either takes it or says what is wrong, by line."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.compilation import load
from codegen.problems import ContractError
from tests.codegen.projects import FIXTURE, ROOT

LINE = re.compile(r"contract/tools\.yaml:[1-9]\d*: [a-z-]+: .+", re.DOTALL)
CONTRACT: dict[str, Any] = yaml.load(FIXTURE.read_text(), Loader=yaml.BaseLoader)
"""The small contract with every value as text."""
VALUES = st.sampled_from(
    [None, True, 3, "", "x", "{{ x }}", "{{", "<<x>>", "Mode", [], ["x"], {}, {"x": "y"}]
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value inside a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in pairs if isinstance(value, dict | list) else ():
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from paths(child, (*path, key))


def holder(value: Any, path: tuple[str | int, ...]) -> Any:
    """Return what holds the value at a path."""
    for key in path[:-1]:
        value = value[key]
    return value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for contracts."""
    folder = tmp_path / "contract"
    folder.mkdir()
    shutil.copy(ROOT / "contract" / "tools.schema.json", folder)
    return folder


def answer(folder: Path) -> tuple[str, ...]:
    """Return the lines with which a contract is refused; none when it is taken."""
    try:
        load(folder)
    except ContractError as error:
        return error.lines
    return ()


@pytest.mark.requirement("R-C2")
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(path=st.sampled_from(list(paths(CONTRACT))), value=VALUES, removed=st.booleans())
def test_a_changed_or_missing_value_is_taken_or_refused_by_line(
    path: tuple[str | int, ...], value: Any, removed: bool, folder: Path
) -> None:
    contract = yaml.load(FIXTURE.read_text(), Loader=yaml.CSafeLoader)
    place = holder(contract, path)
    if removed:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    text = yaml.dump(contract, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    (folder / "tools.yaml").write_text(text)

    assert [line for line in answer(folder) if not LINE.fullmatch(line)] == []


@pytest.mark.requirement("R-C2")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_file_with_a_piece_cut_out_is_taken_or_refused_by_line(
    data: st.DataObject, folder: Path
) -> None:
    text = FIXTURE.read_text()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 60, len(text))))
    (folder / "tools.yaml").write_text(text[:start] + text[end:])

    assert [line for line in answer(folder) if not LINE.fullmatch(line)] == []


@pytest.mark.requirement("R-C2")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.binary(max_size=80))
def test_any_bytes_are_refused(content: bytes, folder: Path) -> None:
    (folder / "tools.yaml").write_bytes(content)

    lines = answer(folder)

    assert lines
    assert [line for line in lines if not LINE.fullmatch(line)] == []

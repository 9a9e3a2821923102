"""Whatever contract is drawn, it renders to the same bytes and no change of a byte passes."""

import importlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen import files
from codegen.compilation import load, render
from codegen.schemas import accepted, plain, published
from tests.codegen.projects import Project
from tests.codegen.random_contracts import DOCUMENTS, Contract, contracts, written
from tests.codegen.random_schemas import values_of

pytestmark = pytest.mark.long

PACKAGE = "drawn_contract"
BOUNDED = settings(
    deadline=None,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@contextmanager
def a_project(contract: Contract) -> Iterator[Project]:
    """Make a project of a drawn contract for as long as the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project.create(Path(folder) / "drawn")
        project.contract.write_text(written(contract), encoding="utf-8")
        yield project


@contextmanager
def imported(project: Project) -> Iterator[Mapping[str, ModuleType]]:
    """Import the generated package for as long as the block runs."""
    sys.path.insert(0, str(project.out))
    importlib.invalidate_caches()
    try:
        names = [path.stem for path in (project.out / PACKAGE).glob("*.py")]
        yield {name: importlib.import_module(f"{PACKAGE}.{name}") for name in names}
    finally:
        sys.path.remove(str(project.out))
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]


def changed(data: bytes, draw: st.DataObject) -> bytes:
    """Draw the same bytes with one inserted, deleted or replaced."""
    at = draw.draw(st.integers(0, max(0, len(data) - 1)), label="offset")
    byte = bytes([draw.draw(st.integers(0, 255), label="byte")])
    form = draw.draw(st.sampled_from(["insert", "delete", "replace"] if data else ["insert"]))
    kept = data[at:] if form == "insert" else data[at + 1 :]
    new = data[:at] + (b"" if form == "delete" else byte) + kept
    return new if new != data else data[:at] + bytes([data[at] ^ 1]) + kept


@BOUNDED
@pytest.mark.requirement("R-C4")
@given(contract=contracts())
def test_what_is_rendered_is_accepted_and_rendering_it_again_changes_nothing(
    contract: Contract,
) -> None:
    with a_project(contract) as project:
        assert project.run() == 0
        once = project.files()

        assert project.run("--check") == 0
        assert project.run() == 0
        assert project.files() == once


@BOUNDED
@pytest.mark.requirement("R-C4")
@given(contract=contracts(), data=st.data())
def test_no_change_of_a_single_byte_of_a_generated_file_passes_the_check(
    contract: Contract, data: st.DataObject
) -> None:
    with a_project(contract) as project:
        output = render(project.contract.parent)
        files.write(output, project.out)
        for _ in range(5):
            path = project.out / data.draw(st.sampled_from(sorted(output.files)))
            before = path.read_bytes()
            path.write_bytes(changed(before, data))
            assert files.drift(output, project.out) != []
            path.write_bytes(before)
        assert files.drift(output, project.out) == []


@BOUNDED
@pytest.mark.requirement("R-C4")
@given(contract=contracts(tools=1), data=st.data())
def test_the_command_refuses_a_changed_a_missing_and_another_file(
    contract: Contract, data: st.DataObject
) -> None:
    with a_project(contract) as project:
        project.run()
        generated = sorted(path for path in project.out.rglob("*") if path.is_file())
        path = data.draw(st.sampled_from(generated))
        match data.draw(st.sampled_from(["changed", "missing", "another"])):
            case "changed":
                path.write_bytes(changed(path.read_bytes(), data))
            case "missing":
                path.unlink()
            case _:
                path.with_name(data.draw(st.from_regex(r"[a-z]{1,9}\.x", fullmatch=True))).touch()

        assert project.run("--check") == 1


@BOUNDED
@pytest.mark.requirement("R-C4")
@given(contract=contracts(tools=1), data=st.data())
def test_no_change_of_a_single_byte_inside_a_marked_block_passes_the_check(
    contract: Contract, data: st.DataObject
) -> None:
    contract["documents"] = [*DOCUMENTS]
    with a_project(contract) as project:
        project.run()
        document = project.contract.parent / contract["documents"][0]["path"]
        text = document.read_bytes()
        name = data.draw(st.sampled_from(["tools", "prompts", "errors"])).encode()
        start = text.index(b"<!-- generated:%b -->\n" % name) + len(name) + 20
        end = text.index(b"<!-- /generated:%b -->" % name)
        document.write_bytes(text[:start] + changed(text[start:end], data) + text[end:])

        assert project.run("--check") != 0


@BOUNDED
@pytest.mark.requirement("R-C6")
@given(contract=contracts(), data=st.data())
def test_the_package_imports_and_its_models_take_what_its_schemas_take(
    contract: Contract, data: st.DataObject
) -> None:
    with a_project(contract) as project:
        project.run("--package", PACKAGE)
        tools = load(project.contract.parent).tools
        with imported(project) as package:
            models, shown = package["models"], package["tools"].TOOLS
            for tool in tools:
                assert shown[tool.name].input_schema == published(tool)
                assert shown[tool.name].accepted_schema == accepted(tool)
                model = models.INPUT_MODELS[tool.name]
                arguments = data.draw(values_of(plain(tool.input)), label=tool.name)
                assert given_to(model, arguments) == arguments
                answer = data.draw(values_of(plain(tool.output)), label=tool.name)
                assert given_to(models.OUTPUT_MODELS[tool.name], answer) == answer


def given_to(model: Any, value: Any) -> Any:
    """Return what a model gives back of what it was given."""
    return model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_unset=True)


@BOUNDED
@pytest.mark.requirement("R-C6")
@given(contract=contracts(), data=st.data())
def test_the_accepted_schema_takes_every_call_of_the_published_one(
    contract: Contract, data: st.DataObject
) -> None:
    with a_project(contract) as project:
        for tool in load(project.contract.parent).tools:
            call = data.draw(values_of(published(tool)), label=tool.name)
            jsonschema_rs.validator_for(accepted(tool)).validate(call)

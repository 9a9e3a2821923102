"""What the generated package does when it is imported, shown on a small contract."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.codegen.projects import Project

PACKAGE = "acme_contract"
MODULES = ("aliases", "enums", "errors", "models", "prompts", "tools", "version")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ModuleType]]:
    """Return the imported modules of the small contract, by name."""
    project = Project.create(tmp_path_factory.mktemp("package") / "acme")
    project.run()
    sys.path.insert(0, str(project.out))
    yield {name: importlib.import_module(f"{PACKAGE}.{name}") for name in MODULES}
    sys.path.remove(str(project.out))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.mark.requirement("R-C1")
def test_a_prompt_is_filled_in_by_its_typed_function(package: dict[str, ModuleType]) -> None:
    prompts, lang, mode = package["prompts"], package["enums"].Lang, package["enums"].Mode
    lines = [prompts.line(lang.EN, who="c\n1", words="Hi {title} <<title>>")]

    text = prompts.digest(lang.EN, title="{count}", count=3, mode=mode.LOUD, lines=lines * 2)

    line = "c 1 said:\n\n```text\nHi {title} <<title>>\n```"
    assert text == (f"{{Digest}} of {{count}}, 3, `loud`: Said loudly.\n\n{line}\n\n{line}\n\nEnd.")


@pytest.mark.requirement("R-C1")
@pytest.mark.parametrize("nothing", [None, "", " \t\n"])
def test_a_value_that_is_not_there_is_said_in_words(
    nothing: str | None, package: dict[str, ModuleType]
) -> None:
    prompts, lang, mode = package["prompts"], package["enums"].Lang, package["enums"].Mode

    text = prompts.digest(lang.ZH, title=nothing, count=0, mode=mode.QUIET, lines=[])

    assert text == "{摘要} 无标题，0，`quiet`：小声说。\n\n没有内容。\n\n结束。"


def test_a_text_without_parameters_keeps_its_braces(package: dict[str, ModuleType]) -> None:
    lang = package["enums"].Lang
    assert package["prompts"].notice_mode(lang.EN) == "The mode {is} needed now."


@pytest.mark.requirement("R-C3")
def test_models_take_wire_names_enums_and_defaults(package: dict[str, ModuleType]) -> None:
    models, tools, mode = package["models"], package["tools"], package["enums"].Mode
    model = models.INPUT_MODELS[tools.ToolName.TALK_SAY]

    said = model.model_validate({"words": "Hi", "mode": "loud", "toWhom": "c1"})

    assert (said.words, said.mode, said.pitch, said.to_whom) == ("Hi", mode.LOUD, mode.QUIET, "c1")
    assert isinstance(said.pitch, mode)
    with pytest.raises(ValueError, match="frozen"):
        said.words = "Ho"
    with pytest.raises(ValueError, match="extra"):
        model.model_validate({"words": "Hi", "mode": "loud", "to_whom": "c1"})


def test_two_enums_with_the_same_value_keep_their_own_meanings(
    package: dict[str, ModuleType],
) -> None:
    enums = package["enums"]
    assert enums.EXPLANATIONS[enums.Mode][enums.Mode.LOUD][enums.Lang.EN] == "Said loudly."
    assert enums.EXPLANATIONS[enums.Colour][enums.Colour.RED][enums.Lang.ZH] == "红色。"


def test_old_names_lead_to_tools_fields_values_and_notices(
    package: dict[str, ModuleType],
) -> None:
    aliases, tool, lang = package["aliases"], package["tools"].ToolName, package["enums"].Lang
    alias = aliases.ALIASES["talk_shout"]

    assert (alias.tool, alias.fixed) == (tool.TALK_SAY, {"mode": "loud"})
    assert alias.notice(lang.EN) == "The mode {is} needed now."
    assert aliases.FIELD_ALIASES == {tool.TALK_SAY: {"whom": "toWhom"}}
    assert aliases.LEGACY_DEFAULTS == {tool.TALK_SAY: {"mode": "quiet"}}
    assert aliases.LEGACY_NOTICES[tool.TALK_SAY]["mode"] is alias.notice


def test_the_package_lies_where_it_was_generated(package: dict[str, ModuleType]) -> None:
    file = package["version"].__file__
    assert file is not None
    assert Path(file).parent.name == PACKAGE

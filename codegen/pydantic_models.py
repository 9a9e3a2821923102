"""The typed view of the schemas, made by datamodel-code-generator."""

import re
import tempfile
from pathlib import Path
from typing import Any

from codegen.model import Contract, Tool
from codegen.schemas import ENUM_DEFAULT, typed

_DEFAULT = re.compile(rf'"{ENUM_DEFAULT}(\w+\.\w+)"')
_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|([^(\n]*))$", re.MULTILINE)
_NOISE = "        arbitrary_types_allowed=True,\n"
"""The generator adds it for any class that it does not know; enums do not need it."""


def models(contract: Contract, header: str) -> str:
    """Return the module's text down to its last class."""
    tools = [_input_and_output(tool, contract.package) for tool in contract.tools]
    text = _generated(tools, header, f"{contract.package}.tools.ToolName")
    text = _DEFAULT.sub(r"\1", text.replace(_NOISE, ""))
    return _IMPORT.sub(_one_name_a_line, text).rstrip("\n")


def _one_name_a_line(match: re.Match[str]) -> str:
    """Return an import that grows by lines: another tool must not change a line of this one."""
    names = [name.strip() for name in (match[2] or match[3]).split(",")]
    lines = "".join(f"    {name},\n" for name in names if name)
    return f"from {match[1]} import (\n{lines})"


def _input_and_output(tool: Tool, package: str) -> dict[str, Any]:
    return {
        "name": tool.name,
        "inputSchema": typed(tool.input, package),
        "outputSchema": typed(tool.output, package),
    }


def _generated(tools: list[dict[str, Any]], header: str, also_imported: str) -> str:
    """Return what the generator makes of it, whatever the current folder holds."""
    # Imported here: everything else of codegen answers without its 0.1 s (a refused contract, say).
    import datamodel_code_generator as generator
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import Formatter, PythonVersion

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_text('[project]\nname = "settings"\n')
        text = generator.generate(
            tools,
            input_file_type=generator.InputFileType.MCPTools,
            output_model_type=DataModelType.PydanticV2BaseModel,
            target_python_version=PythonVersion.PY_311,
            target_pydantic_version=generator.TargetPydanticVersion.V2_12,
            formatters=[Formatter.BUILTIN],
            settings_path=Path(folder),
            builtin_format_line_length=100,
            disable_timestamp=True,
            disable_future_imports=True,
            custom_file_header=header,
            additional_imports=[also_imported, "collections.abc.Mapping"],
            enable_faux_immutability=True,
            enum_field_as_literal=generator.LiteralType.All,
            naming_strategy=generator.NamingStrategy.FullPath,
            use_tag_as_union_variant_name=True,
            keep_model_order=True,
            snake_case_field=True,
            strict_nullable=True,
            collapse_root_models=True,
            use_annotated=True,
            use_double_quotes=True,
            strict_refs=True,
            allow_remote_refs=False,
        )
    return str(text)

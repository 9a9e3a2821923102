"""The fixture contract: ccweb's own and what the suite asks for, rendered by the same compiler."""

import shutil
from pathlib import Path
from typing import Any

import yaml

from codegen import compilation, files

ROOT = Path(__file__).parents[2]
OWN = ROOT / "contract"
ADDED = Path(__file__).parent / "contract" / "tools.yaml"
PACKAGE = "ccweb_contract"


def render(folder: Path) -> Path:
    """Render the fixture contract below a folder and return what holds the package."""
    contract, out = folder / "contract", folder / "generated"
    contract.mkdir()
    shutil.copy(OWN / "tools.schema.json", contract)
    text = yaml.dump(_whole(), Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    (contract / "tools.yaml").write_text(text)
    files.write(compilation.render(contract, package=PACKAGE), out)
    return out


def _whole() -> dict[str, Any]:
    own, added = _read(OWN / "tools.yaml"), _read(ADDED)
    merged = {section: {**own[section], **values} for section, values in added.items()}
    return {**own, **merged, "documents": []}


def _read(path: Path) -> dict[str, Any]:
    values: dict[str, Any] = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    return values

"""The scripts of pages: what one imports, at whatever depth, is named ahead, and is there."""

import re
from pathlib import Path

import pytest

import ccweb.hub
from ccweb.hub.scripts import script

STATIC = Path(ccweb.hub.__file__).parent / "static"
RENDERED = {"/contract.js", "/words.js"}


def addresses(name: str) -> list[str]:
    """Return what the elements of a script load, in order."""
    return re.findall(r'(?:href|src)="([^"]+)"', script(name))


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.glob("*.js")))
def test_all_that_a_script_imports_is_named_once_before_it(name: str) -> None:
    *ahead, last = addresses(name)
    assert last == f"/static/{name}"
    assert ahead == sorted(set(ahead) - {last})
    for address in ahead:
        assert address in RENDERED or (STATIC / address.removeprefix("/static/")).is_file()
        if address not in RENDERED:
            assert set(addresses(Path(address).name)) <= {*ahead, last}


def test_what_an_import_imports_is_named_too() -> None:
    assert "/static/soon.js" in addresses("app.js")  # by timeline.js and sidebar.js
    assert set(addresses("app.js")) >= RENDERED

"""A page's script, and all that it imports named ahead: a browser else learns it file by file."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

_IMPORT: Final = re.compile(r'^(?:import|export)\b(?:[^"\n]*\bfrom)? "([^"]+)";$', re.MULTILINE)
_AHEAD: Final = Markup('<link rel="modulepreload" href="{}">')
_SCRIPT: Final = Markup('<script type="module" src="{}"></script>')


@cache
def script(name: str) -> Markup:
    """Return the elements that load a module of `static/`, e.g. `app.js`."""
    path = f"/static/{name}"
    ahead = sorted(_all(path, set()) - {path})
    return Markup("\n").join([*(_AHEAD.format(each) for each in ahead), _SCRIPT.format(path)])


def _all(path: str, found: set[str]) -> set[str]:
    """Return a module's address with those of all that it imports."""
    if path not in found:
        found.add(path)
        for imported in _imports(path):
            _all(imported, found)
    return found


def _imports(path: str) -> Iterator[str]:
    """Yield what one of our files imports; other modules are rendered and import nothing."""
    name = path.removeprefix("/static/")
    if name != path:
        source = files("ccweb.hub").joinpath("static", name).read_text(encoding="utf-8")
        for address in _IMPORT.findall(source):
            yield address.replace("./", "/static/", 1) if address.startswith("./") else address

"""Sizes that clients and providers refuse or cut."""

from collections.abc import Iterator

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import Subject
from codegen.model import Schema
from codegen.schemas import parts

DESCRIPTION_LIMIT = 1024
NAME_LIMIT = 64
DEPTH_LIMIT = 5
PROPERTY_LIMIT = 100


def long_tool_descriptions(subject: Subject) -> Iterator[Fault]:
    """Yield each tool whose description is too long."""
    for name, tool in subject.tools():
        yield from _too_long(tool["description"], ("tools", name, "description"))


def long_argument_descriptions(subject: Subject) -> Iterator[Fault]:
    """Yield each argument whose description is too long."""
    for _, argument in subject.arguments():
        yield from _too_long(argument.description, (*argument.path, "description"))


def _too_long(text: str, path: tuple[str | int, ...]) -> Iterator[Fault]:
    if len(text) > DESCRIPTION_LIMIT:
        message = f"the description has {len(text)} characters; the limit is {DESCRIPTION_LIMIT}"
        yield Fault(path=path, message=message)


def long_names(subject: Subject) -> Iterator[Fault]:
    """Yield each tool whose name is too long once a client has put the server before it."""
    for name, _ in subject.tools():
        full = f"mcp__{subject.values['name']}__{name}"
        if "mcp" in subject.surfaces(name) and len(full) > NAME_LIMIT:
            text = f"{full} has {len(full)} characters; the limit is {NAME_LIMIT}"
            yield Fault(path=("tools", name), message=text)


def deep_arguments(subject: Subject) -> Iterator[Fault]:
    """Yield each tool whose arguments hold too many levels of objects."""
    for name, _ in subject.tools():
        depth = _depth(subject.draft.inputs[name])
        if depth > DEPTH_LIMIT:
            text = f"the arguments hold {depth} levels of objects; the limit is {DEPTH_LIMIT}"
            yield Fault(path=("tools", name, "input"), message=text)


def _depth(schema: Schema) -> int:
    """Return how many objects stand inside each other, the schema itself included."""
    inner = [*schema.get("properties", {}).values()]
    inner += [schema["items"]] if "items" in schema else []
    return (schema.get("type") == "object") + max(map(_depth, inner), default=0)


def many_arguments(subject: Subject) -> Iterator[Fault]:
    """Yield each tool that takes too many arguments, those inside others counted as well."""
    for name, _ in subject.tools():
        count = sum(len(part.get("properties", ())) for part in parts(subject.draft.inputs[name]))
        if count > PROPERTY_LIMIT:
            text = f"the arguments have {count} properties in all; the limit is {PROPERTY_LIMIT}"
            yield Fault(path=("tools", name, "input"), message=text)


_TAGS = ", ".join(f"tag{n}: {{ type: string, description: A tag of it. }}" for n in range(101))

RULES = (
    Rule(
        id="description-too-long",
        level=Level.ERROR,
        asks=f"A tool's description has at most {DESCRIPTION_LIMIT} characters.",
        why=(
            "Providers with OpenAI's chat completions interface refuse a longer description, and "
            "the whole request with it (modelcontextprotocol/servers#799, "
            "getsentry/sentry-mcp#106); Claude Code has cut it at 2,048 characters and told nobody "
            "(ayushcodes10/echo-mem#38)."
        ),
        bad="""\
tools:
  find_note:
    description: "Find a note. {{ 'It looks at notebook after notebook. ' * 30 }}"
""",
        good="""\
tools:
  find_note:
    description: Find a note in any notebook.
""",
        check=long_tool_descriptions,
    ),
    Rule(
        id="argument-too-long",
        level=Level.WARNING,
        asks=f"An argument's description has at most {DESCRIPTION_LIMIT} characters.",
        why=(
            "No provider refuses it, but it is sent with every request; what takes longer to say "
            "than a whole tool may take belongs into a prompt."
        ),
        bad="""\
tools:
  find_note:
    input:
      properties:
        words:
          description: "What it holds. {{ 'Quotation marks keep words together. ' * 30 }}"
""",
        good="""\
tools:
  find_note:
    input:
      properties:
        words:
          description: What it holds. Quotation marks keep words together.
""",
        check=long_argument_descriptions,
    ),
    Rule(
        id="name-too-long",
        level=Level.ERROR,
        asks=f"`mcp__NAME__TOOL`, as MCP clients call a tool, has at most {NAME_LIMIT} characters.",
        why=(
            "A request with one longer name is refused, and all other tools with it "
            "(anthropics/claude-code#19882, microsoft/vscode#243602)."
        ),
        bad="name: notes_of_everybody_who_has_ever_written_one_down_here\n",
        good="name: notes_of_this_house\n",
        check=long_names,
    ),
    Rule(
        id="too-deep",
        level=Level.WARNING,
        asks=f"At most {DEPTH_LIMIT} objects stand inside each other, the arguments included.",
        why=(
            "OpenAI's strict mode has refused more (tidyverse/ellmer#671; newer models take 10), "
            "and models misplace what stands deep."
        ),
        bad="""\
objects:
  Line: { type: object, properties: { text: { type: string, description: What is written. } } }
  Page: { type: object, properties: { line: { $ref: Line, description: A line on it. } } }
  Book: { type: object, properties: { page: { $ref: Page, description: A page in it. } } }
  Shelf: { type: object, properties: { book: { $ref: Book, description: A book on it. } } }
  Room: { type: object, properties: { shelf: { $ref: Shelf, description: A shelf in it. } } }
tools:
  find_note:
    input:
      properties:
        near: { $ref: Room, description: Only notes about this. }
""",
        good="""\
objects:
  Line: { type: object, properties: { text: { type: string, description: What is written. } } }
tools:
  find_note:
    input:
      properties:
        near: { $ref: Line, description: Only notes about this. }
""",
        check=deep_arguments,
    ),
    Rule(
        id="too-many-arguments",
        level=Level.WARNING,
        asks=f"A tool takes at most {PROPERTY_LIMIT} arguments, those inside others included.",
        why="OpenAI's strict mode has refused more (newer models take 5,000).",
        bad=f"""\
tools:
  find_note:
    input:
      properties: {{ {_TAGS} }}
""",
        good="""\
tools:
  find_note:
    input:
      properties:
        tags:
          type: array
          description: The tags of it.
          items: { type: string }
""",
        check=many_arguments,
    ),
)

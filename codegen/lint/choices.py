"""Choices that a model must make: between values, between tools, and by hints."""

from collections.abc import Iterator
from itertools import combinations

from codegen.lint.rule import Fault, Level, Rule
from codegen.lint.subject import Subject
from codegen.schemas import plain

_FOR_MODELS = frozenset({"mcp", "dynamic"})


def unexplained_values(subject: Subject) -> Iterator[Fault]:
    """Yield each argument with values of which the texts beside it do not speak."""
    for tool, argument in subject.arguments():
        texts = argument.description + subject.values["tools"][tool]["description"]
        unsaid = [value for value in argument.values if f"`{value}`" not in texts]
        if unsaid:
            text = f"nothing tells a model what {argument.name!r} means by {', '.join(unsaid)}"
            yield Fault(path=argument.path, message=text)


def look_alikes(subject: Subject) -> Iterator[Fault]:
    """Yield each tool that takes the very arguments of one before it."""
    forms = {
        name: {n: plain(child).get("type") for n, child in schema["properties"].items()}
        for name, schema in ((name, subject.draft.inputs[name]) for name, _ in subject.tools())
    }
    for first, second in combinations(forms, 2):
        shared = subject.surfaces(first) & subject.surfaces(second) & _FOR_MODELS
        if shared and len(forms[first]) > 1 and forms[first] == forms[second]:
            text = f"it takes the arguments of {first!r}; make it one tool with a value to choose"
            yield Fault(path=("tools", second), message=text)


def contradicting_hints(subject: Subject) -> Iterator[Fault]:
    """Yield each tool whose hints cannot all be true."""
    for name, tool in subject.tools():
        if not tool["annotations"]["readOnly"]:
            continue
        for is_so, what in (
            (tool["annotations"]["destructive"], "destructive"),
            (tool.get("startsWork", False), "startsWork"),
        ):
            if is_so:
                text = f"what is readOnly changes nothing; it cannot be {what} as well"
                yield Fault(path=("tools", name, "annotations"), message=text)


RULES = (
    Rule(
        id="unexplained-value",
        level=Level.ERROR,
        asks="Each value of an argument stands in backticks in its description, or in the tool's.",
        why="A model takes the value whose name sounds best, or the first one.",
        bad="""\
tools:
  find_note:
    input:
      properties:
        order:
          description: Which notes come first. Default `best`.
""",
        good="""\
tools:
  find_note:
    input:
      properties:
        order:
          description: "Which notes come first. {{ explained.Order }} Default `best`."
""",
        check=unexplained_values,
    ),
    Rule(
        id="look-alike",
        level=Level.WARNING,
        asks="No two tools on one surface take the same two or more arguments.",
        why=(
            "Models mix up tools whose calls look alike; one tool with a required value to choose "
            "is called rightly."
        ),
        bad="""\
tools:
  start_review:
    input:
      properties:
        reason: { type: string, description: What the reviewer looks at first. }
  pin_note:
    input:
      properties:
        reason: { type: string, description: What the pin says. }
""",
        good="""\
tools:
  start_review:
    input:
      properties:
        reason: { type: string, description: What the reviewer looks at first. }
""",
        check=look_alikes,
    ),
    Rule(
        id="contradicting-hints",
        level=Level.ERROR,
        asks="A tool that is `readOnly` is neither `destructive` nor does it start work.",
        why="Clients run a read-only tool without asking the person (MCP's ToolAnnotations).",
        bad="""\
tools:
  find_note:
    annotations: { readOnly: true, destructive: true }
""",
        good="""\
tools:
  find_note:
    annotations: { readOnly: false, destructive: true }
""",
        check=contradicting_hints,
    ),
)

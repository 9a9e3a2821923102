"""Lint: what of a contract that compiles would be refused by clients or misread by agents."""

from codegen.lint import choices, hidden, names, sizes, waiting, waivers, wording
from codegen.lint.rule import Fault, Finding, Rule
from codegen.lint.subject import Subject
from codegen.problems import Path
from codegen.schemas import Draft
from codegen.source import Source

RULES: tuple[Rule, ...] = (
    *waiting.RULES,
    *wording.RULES,
    *choices.RULES,
    *names.RULES,
    *sizes.RULES,
    *hidden.RULES,
    waivers.STALE,
)


def findings(source: Source, draft: Draft) -> list[Finding]:
    """Return what stands after waivers, in order of lines.

    Args:
        source: The contract as it is written.
        draft: The same contract with its texts filled in.
    """
    subject = Subject(written=source.values, draft=draft)
    found: list[tuple[Rule, Fault]] = []
    used: set[Path] = set()
    for rule in RULES:
        for fault in rule.check(subject) if rule.check else ():
            waiver = waivers.waiver_of(source.values, fault.path, rule.id)
            if waiver:
                used.add(waiver)
            else:
                found.append((rule, fault))
    stale = waivers.stale(source.values, {rule.id for rule in RULES}, used)
    found += [(waivers.STALE, fault) for fault in stale]
    return sorted({_finding(rule, fault, source) for rule, fault in found}, key=_order)


def _finding(rule: Rule, fault: Fault, source: Source) -> Finding:
    line = source.line_of(fault.path)
    return Finding(rule=rule.id, level=rule.level, line=line, message=fault.message)


def _order(finding: Finding) -> tuple[int, str, str]:
    return finding.line, finding.rule, finding.message

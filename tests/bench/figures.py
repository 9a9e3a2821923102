"""Figures: what a measurement gives, and how it is shown beside its goal."""

import statistics
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """How long each of many things took, and all of them together."""

    seconds: tuple[float, ...]
    wall_s: float

    @property
    def p50_ms(self) -> float:
        """Return the median in milliseconds."""
        return statistics.median(self.seconds) * 1000

    @property
    def p99_ms(self) -> float:
        """Return what 99 of 100 stayed under, in milliseconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] * 1000

    @property
    def per_second(self) -> float:
        """Return how many came to an end per second."""
        return len(self.seconds) / self.wall_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the report."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    """The value that must be reached; None for a row that only informs."""
    at_least: bool = False
    """True where more is better."""

    @property
    def reached(self) -> bool | None:
        """Tell whether the goal is reached; None when there is none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def as_json(self) -> dict[str, object]:
        """Return the row for machines."""
        return asdict(self) | {"reached": self.reached}


def table(figures: list[Figure]) -> str:
    """Return the rows as aligned text."""
    lines = [("figure", "value", "goal", "")]
    for figure in figures:
        sign = ">=" if figure.at_least else "<="
        goal = "" if figure.goal is None else f"{sign} {figure.goal:g}"
        verdict = {None: "", True: "reached", False: "MISSED"}[figure.reached]
        lines.append((figure.name, f"{figure.value:.2f} {figure.unit}", goal, verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )

"""Feature lists against real repositories: how fast they are classified, and how rightly."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import hypothesis

from ccweb.planning.features.classification import classify
from ccweb.planning.features.parsing import parse
from ccweb.planning.features.reading import Tree, read
from ccweb.planning.model import Feature
from ccweb_contract.enums import ChangeType, Lang
from tests.bench.figures import Figure

PROJECT: Final = Path(__file__).parent.parent.parent
FEATURES: Final = 200
LARGEST_TEXT: Final = 256 * 1024

KNOWN: Final[Mapping[ChangeType, Sequence[str]]] = {
    ChangeType.MODIFY: (
        "Cancel a running turn",
        "List conversations",
        "Send a message to a conversation",
        "Pending replies",
        "Sign in with a ticket",
        "Doctor command",
        "Codex agent adapter",
        "Server-sent events of the page",
        "Loop guard between two conversations",
        "Render Markdown of messages",
        "Ask for a permission of a step",
        "Database migrations",
        "Contract code generation",
        "Demo agent directives",
        "Browser session cookies",
        "Task board columns",
        "工作目录看板",
        "演示智能体",
        "取消请求",
        "待回复列表",
        "列出对话",
    ),
    ChangeType.NEW: (
        "Export conversations as PDF",
        "Voice dictation for messages",
        "Email notification when a reply returns",
        "Kubernetes deployment of the hub",
        "Slack bot for messages",
        "Google OAuth sign in",
        "对话导出为电子表格",
        "消息语音播报",
        "看板甘特图",
        "智能体计费账单",
    ),
    ChangeType.UNCLEAR: (
        "Loyalty vouchers",
        "Warehouse barcode scanner",
        "Zebra grooming",
        "Invoice dunning",
        "优惠券发放",
        "物流轨迹",
        "购物车结算",
    ),
}
"""Features of this project as a person who knows it would judge them."""


async def measure() -> list[Figure]:
    """Return the figures of 200 features over three repositories, and of the largest text."""
    return await asyncio.to_thread(_figures)


def _figures() -> list[Figure]:
    trees, reading_s = _timed_trees()
    names = [name for names in KNOWN.values() for name in names]
    many = _features([f"{names[i % len(names)]} {i}" for i in range(FEATURES)])
    start = time.perf_counter()
    classify(many, trees, Lang.EN)
    classifying_s = time.perf_counter() - start
    text = "".join(f"- {name}\n" for name in names * 500)[:LARGEST_TEXT]
    start = time.perf_counter()
    parse(text)
    parsing_s = time.perf_counter() - start
    return [
        Figure(name="read 3 repositories", value=reading_s, unit="s"),
        Figure(
            name=f"classify {FEATURES} features, reading included",
            value=reading_s + classifying_s,
            unit="s",
            goal=5,
        ),
        Figure(name="parse the largest list", value=parsing_s, unit="s", goal=1),
        Figure(name="judged as a person would", value=_right(), unit="%", goal=80, at_least=True),
    ]


def _timed_trees() -> tuple[dict[str, Tree], float]:
    folders = {"ccweb": PROJECT, "anyio": _home(anyio.__file__), "it": _home(hypothesis.__file__)}
    start = time.perf_counter()
    trees = {name: read(folder) for name, folder in folders.items()}
    return trees, time.perf_counter() - start


def _home(module: str | None) -> Path:
    assert module
    return Path(module).parent


def _features(names: Sequence[str]) -> list[Feature]:
    return [Feature(key=f"f{i}", module="", name=name) for i, name in enumerate(names)]


def _right() -> float:
    """Return how many of the known features are judged rightly, in per cent.

    The list of them lies in the project too, so its product is read without its tests.
    """
    folders = ("ccweb", "codegen", "contract")
    trees = {name: read(PROJECT / name) for name in folders}
    wanted = [(kind, name) for kind, names in KNOWN.items() for name in names]
    found = classify(_features([name for _, name in wanted]), trees, Lang.EN)
    right = sum(one.change_type is kind for one, (kind, _) in zip(found, wanted, strict=True))
    return 100 * right / len(wanted)

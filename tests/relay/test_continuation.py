"""The text of a continuation, composed until it fits."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ccweb.conversations import inbox
from ccweb.conversations.model import InboxItem
from ccweb.relay import continuation
from tests.relay.world import World


class Watched(list[InboxItem]):
    """Items that count how often they are gone through."""

    times = 0

    def __iter__(self) -> Iterator[InboxItem]:
        self.times += 1
        return super().__iter__()


@pytest.mark.requirement("R-M9")
def test_a_prompt_one_byte_over_the_limit_fits_after_a_few_attempts(world: World) -> None:
    a = world.conversation("A")
    busy = world.started(a)
    for i in range(13):
        target = world.conversation(f"T{i}")
        world.request(a, target, "q" * 8192)
        world.end(world.claim_in(target), "r" * 1200)
    world.end(busy)
    whole = world.claim_in(a)
    with world.db.connect() as c:
        items = Watched(inbox.carried_by(c, whole.id))
        rows = continuation.rows_of(c, items)
    limit = len(whole.prompt.encode()) - 1
    items.times = 0
    s = replace(world.settings, continuation_limit_bytes=limit)
    assert len(continuation.compose(s, items, rows).encode()) <= limit
    assert items.times < 50

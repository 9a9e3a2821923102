"""`make chaos`: many delegations, then many forms, while hub and host are killed at random."""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from tests.chaos.flood import Flood
from tests.chaos.storm import Storm, report


def main() -> int:
    """Run a storm and a flood and print their figures; 0 when nothing was lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--delegations", type=int, default=200)
    parser.add_argument("--forms", type=int, default=300)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(
            folder=Path(folder), seed=options.seed, delegations=options.delegations, say=print
        )
        result = asyncio.run(storm.run())
    print(report(result))
    with tempfile.TemporaryDirectory() as folder:
        flood = Flood(folder=Path(folder), seed=options.seed, forms=options.forms)
        answered = asyncio.run(flood.run())
    print(answered)
    return 0 if result.passed and answered.passed else 1


if __name__ == "__main__":
    sys.exit(main())

"""`make chaos`: many delegations while hub and host are killed at random moments."""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from tests.chaos.storm import Storm, report


def main() -> int:
    """Run one storm and print its seed and figures; 0 when nothing was lost and nothing doubled."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--delegations", type=int, default=200)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        storm = Storm(
            folder=Path(folder), seed=options.seed, delegations=options.delegations, say=print
        )
        result = asyncio.run(storm.run())
    print(report(result))
    return 0 if result.passed else 1


if __name__ == "__main__":
    sys.exit(main())

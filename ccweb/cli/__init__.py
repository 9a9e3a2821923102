"""The command line: it composes the parts and does nothing else."""

import sys
from collections.abc import Sequence

from ccweb.cli.failure import Failure


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    try:
        from ccweb.cli.arguments import parse  # here, so that an interrupt ends it quietly too

        arguments = parse(argv)
        return arguments.run(arguments)
    except Failure as failure:
        print(f"ccweb: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1

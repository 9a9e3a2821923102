"""The command line: it composes the parts and does nothing else."""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    from ccweb.cli.arguments import parse
    from ccweb.cli.failure import Failure

    arguments = parse(argv)
    try:
        return arguments.run(arguments)
    except Failure as failure:
        print(f"ccweb: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1

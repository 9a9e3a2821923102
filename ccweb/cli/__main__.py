"""`python -m ccweb.cli`: the same as the command `ccweb`."""

import sys

from ccweb.cli import main

sys.exit(main())

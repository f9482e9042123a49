"""`python -m tito` is `tito`."""

import sys

from tito.cli import main

sys.exit(main())

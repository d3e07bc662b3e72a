"""See `scripts.numbering`."""

import sys

from scripts.numbering.measure import main

sys.exit(main())

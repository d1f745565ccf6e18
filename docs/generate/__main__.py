"""Writes what pages of the site take from lexpool itself: `python docs/generate`, or some by name.

Each module beside this has `generate(site)`, which is given the site's folder and writes into it. None of
what they write is committed, so a page cannot say what the code no longer does.
"""

import importlib
import sys
from pathlib import Path

SITE = Path(__file__).parents[1]
GENERATORS = sorted(module.stem for module in Path(__file__).parent.glob("[a-z]*.py"))

if __name__ == "__main__":
    for name in sys.argv[1:] or GENERATORS:
        importlib.import_module(name).generate(SITE)

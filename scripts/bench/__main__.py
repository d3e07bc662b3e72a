"""Print the figures of some benchmarks, or of all; exit with 1 when a bar is missed."""

import importlib
import pkgutil
import sys
from pathlib import Path

NO_BENCHMARKS = {"__main__", "figure", "peers"}


def main() -> int:
    """Run the benchmarks named on the command line; `name=FOLDER` gives one a folder of hand-ins."""
    benchmarks = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    names = sys.argv[1:] or [name for name in benchmarks if name not in NO_BENCHMARKS]
    missed = 0
    for given in names:
        name, _, folder = given.partition("=")
        if name not in benchmarks:
            sys.exit(f"there is no benchmark {name}; there are {', '.join(sorted(set(benchmarks) - NO_BENCHMARKS))}")
        arguments = [Path(folder)] if folder else []
        for figure in importlib.import_module(f"scripts.bench.{name}").figures(*arguments):
            print(figure, flush=True)
            missed += not figure.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

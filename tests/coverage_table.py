"""Prints how many lines of each package tests have run, and the modules of which they have run few.

Fails if tests have run less than 85 % of a package.

python tests/coverage_table.py build/coverage/lines.json comgra_export
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path, PurePath

ENOUGH = 85.0


def main(file: Path, root: str) -> int:
    """Reads what `coverage json` or static/coverage.mjs wrote. Names of modules begin with the folder `root`.

    Returns:
        1 if tests have run too few lines of a package, and 0 otherwise.
    """
    modules: dict[str, tuple[int, int]] = {}
    for name, measured in json.loads(file.read_text(encoding="utf-8"))["files"].items():
        parts = PurePath(name).parts
        inside = PurePath(*parts[len(parts) - 1 - parts[::-1].index(root) :])
        modules[str(inside)] = measured["summary"]["covered_lines"], measured["summary"]["num_statements"]
    packages: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, (run, lines) in modules.items():
        for place in (str(PurePath(name).parent), "all of it"):
            packages[place][0] += run
            packages[place][1] += lines
    print(f"{'package':<44}{'lines':>7}{'run':>7}{'':>8}")
    for name, (run, lines) in sorted(packages.items(), key=lambda item: (item[0] == "all of it", item[0])):
        if lines:
            mark = f"   below {ENOUGH:.0f} %" if is_low(run, lines) else ""
            print(f"{name:<44}{lines:>7}{run:>7}{100 * run / lines:>7.1f}%{mark}")
    few = {name: (run, lines) for name, (run, lines) in modules.items() if is_low(run, lines)}
    if few:
        print(f"\nmodules below {ENOUGH:.0f} %")
        for name, (run, lines) in sorted(few.items(), key=lambda item: item[1][0] / item[1][1]):
            print(f"{name:<58}{run:>5} of {lines:<5}{100 * run / lines:>5.1f}%")
    return int(any(is_low(run, lines) for run, lines in packages.values()))


def is_low(run: int, lines: int) -> bool:
    """Whether tests have run less of the lines than is enough."""
    return 100 * run < ENOUGH * lines


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))

"""Adds up JUnit result files: one line a suite, then `N passed, M failed, K skipped`.

Ends with 1 when a suite failed, ran nothing, or left no result.
"""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SUITES = ("ctest", "pytest", "cases")


def count(path: Path) -> tuple[int, int, int]:
    """The tests of one file: passed, failed, skipped."""
    passed = failed = skipped = 0
    for case in ET.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main() -> int:
    folder = Path(sys.argv[1])
    total = [0, 0, 0]
    silent = []
    print("== Summary")
    for suite in SUITES:
        path = folder / f"{suite}.xml"
        counts = count(path) if path.is_file() else (0, 0, 0)
        if counts[0] + counts[1] == 0:
            silent.append(suite)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(f"{suite:8} passed {counts[0]}, failed {counts[1]}, skipped {counts[2]}")
    for suite in silent:
        print(f"{suite} ran no test", file=sys.stderr)
    print(f"{total[0]} passed, {total[1] + len(silent)} failed, {total[2]} skipped")
    return 1 if total[1] or silent else 0


if __name__ == "__main__":
    sys.exit(main())

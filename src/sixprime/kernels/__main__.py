"""`python -m sixprime.kernels compile GROUP`: compiles a group of entries and keeps it."""

from __future__ import annotations

import sys

from sixprime.kernels import _objects


def main(arguments: list[str]) -> int:
    match arguments:
        case ["compile", group]:
            place = _objects.place_of(group)
            if place is None:
                return 1
            _objects.compile_to(group, place)
            return 0
    print("usage: python -m sixprime.kernels compile GROUP", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

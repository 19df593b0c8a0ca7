"""`python -m sixprime.kernels compile GROUP...`: compiles groups of entries and keeps them, for `_objects`."""

from __future__ import annotations

import sys
from contextlib import suppress

from sixprime.kernels import _objects


def main(arguments: list[str]) -> int:
    match arguments:
        case ["compile", *groups] if groups:
            for group in groups:
                place = _objects.place_of(group)
                if place is None:
                    return 1
                _objects.compile_to(group, place, _say)
                _say("kept", group)
            return 0
    print("usage: python -m sixprime.kernels compile GROUP...", file=sys.stderr)
    return 2


def _say(*words: object) -> None:
    # Who has asked may be gone; the next one will be glad of the result.
    with suppress(OSError):
        print(*words, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

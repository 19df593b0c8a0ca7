"""Feeds damaged files to every reader: only our errors, no hang, no flood of memory.

    python benchmarks/fuzz.py --formats sgf mat --inputs 200000 --seeds ../samples

Input i depends only on its number and the seed files, so that a failure can be repeated with --first i --inputs 1.
A file may take 1 s per MB (with 20 ms for the start) and 50 times its size in memory (with 2 MB for the start).
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS
from sixprime.formats._text import Document

HERE = Path(__file__).parent
LARGEST_SEED = 24_000  # bytes; small files are read often
MEASURED = 100  # of every so many inputs the memory is measured
SCRAPS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n", b"\t", b" ", b"9" * 12, b"-1", b"0", b"1e999", b"nan",
    b"[", b"]", b"(", b")", b";", b":", b"\\", b"/", b"*", b"double", b"take", b"Doubles => 2", b" Takes", b"Wins 2 p",
    b"bar/", b"/off", b"XGID=", b"\xc2\xb2", b"\xe2\x80\xa8", b"(" * 60, b";" * 60, b"[" * 60, b" " * 900, b"A" * 900,
)  # fmt: skip


def seeds(folders: list[Path]) -> dict[str, list[bytes]]:
    """The files of the folders by the format that knows them; a large file is cut."""
    found: dict[str, list[bytes]] = {name: [] for name in FORMATS}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                for name, format in FORMATS.items():
                    if format.detect(Document(data)):
                        if b"\0" not in data:
                            data = data[:LARGEST_SEED]
                        found[name].append(data)
                        break
    return found


def damaged(chance: random.Random, files: list[bytes]) -> bytes:
    """A file with bytes changed, lost, repeated, exchanged and put in."""
    data = bytearray(chance.choice(files))
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(8):
            case 0:
                data[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[place:]
            case 2:
                del data[place : place + chance.randrange(1, 300)]
            case 3:
                other = chance.randrange(len(data) + 1)
                data[place:place] = data[other : other + chance.randrange(300)]
            case 4:
                data[place:place] = chance.choice(SCRAPS)
            case 5:
                for index in range(place, min(place + 40, len(data))):
                    if chr(data[index]).isdigit() and chance.random() < 0.3:
                        data[index] = ord("0") + chance.randrange(10)
            case 6:
                for index in range(place, min(place + 8, len(data))):
                    data[index] ^= 1 << chance.randrange(8)
            case _:
                other_file = chance.choice(files)
                data[place:] = other_file[chance.randrange(len(other_file) + 1) :]
        if not data:
            break
    return bytes(data)


def inputs(name: str, files: list[bytes], first: int, count: int) -> Iterator[tuple[int, bytes]]:
    for number in range(first, first + count):
        chance = random.Random(f"{name} {number}")
        if number % 50 == 49:
            yield number, chance.choice(files)[:40] + chance.randbytes(chance.randrange(2000))
        else:
            yield number, damaged(chance, files)


def complaint(name: str, number: int, data: bytes) -> str | None:
    """What a reader did wrong with an input."""
    read = FORMATS[name].read
    measure = number % MEASURED == 0
    if measure:
        tracemalloc.start()
    started = time.process_time()
    try:
        matches = read(Document(data, "fuzz"))
        if not matches:
            return "no match and no error"
    except InvalidFileError:
        pass
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        seconds = time.process_time() - started
        peak = 0
        if measure:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    if seconds > (0.02 + len(data) / 1e6) * (8 if measure else 1):
        # The machine may have been busy; what is really slow is so again.
        started = time.process_time()
        with contextlib.suppress(InvalidFileError):
            read(Document(data, "fuzz"))
        seconds = time.process_time() - started
        if seconds > 0.02 + len(data) / 1e6:
            return f"{seconds:.3f} s for {len(data)} bytes"
    if peak > 2_000_000 + 50 * len(data):
        return f"{peak} bytes of memory for {len(data)} bytes"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--formats", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    files = seeds([HERE.parent / "tests" / "data", *options.seeds])
    failures = 0
    for name in options.formats:
        if not files[name]:
            print(f"{name}: no seed files")
            failures += 1
            continue
        started, found = time.perf_counter(), 0
        for number, data in inputs(name, files[name], options.first, options.inputs):
            said = complaint(name, number, data)
            if said is not None:
                found += 1
                if found <= 10:
                    print(f"{name}: input {number}: {said}", flush=True)
        failures += found
        seconds = time.perf_counter() - started
        print(
            f"{name}: {options.inputs} inputs from {len(files[name])} files, {found} failures, {seconds:.0f} s",
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

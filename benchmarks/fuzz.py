"""Feeds damaged files to every reader: only our errors, no hang, no flood of memory.

    python benchmarks/fuzz.py                                    200,000 inputs for every reader, and 40 of 1 MB
    python benchmarks/fuzz.py --formats sgf xg --inputs 5000 --seeds ../samples

Input i depends only on its number and the seeds, so that a failure can be repeated with --first i --inputs 1. Seeds are
the files of tests/data and of the folders named, what the writers make of a game, and files made like those of eXtreme
Gammon and BGBlitz, which are also damaged within what is packed. A file may take 1 s for each MB (and 20 ms for the
start), and 50 times its size in memory (and 4 MB for the start); one that is packed as much as one of 200 kB. Shown are
the largest share of that and what the files of 1 MB took.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import gzip
import random
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sixprime import formats
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.formats import FORMATS
from sixprime.formats._text import Document
from sixprime.game.record import Match
from sixprime.paths import sample_match

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from packed_files import RECORD, bgf_content, bgf_file, xg_file, xg_parts  # noqa: E402

START_SECONDS, SECONDS = 0.02, 1e-6  # for any file, for each byte
START_MEMORY, MEMORY = 4 << 20, 50
PACKED = ("xg", "bgf")  # of these any file may cost as much as what 200 kB cost
MEASURED = 200  # of every so many inputs the memory is measured
LARGE = 1_000_000  # bytes
LARGEST_SEED = 200_000  # bytes
LARGE_SEED = 4000  # larger ones make few inputs a second and are used where there are no smaller
XG_RECORDS = 12
MOST_FAILURES = 20

SCRAPS = [
    b"\x00", b"\xff", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\t", b"\r", b"\n\n",
    b" " * 300, b"(" * 40, b";" * 60, b"A" * 900, b"9" * 30, b"-1", b"0", b"25", b"1e999", b"nan", b"[", b"]", b"(;",
    b";", b":", b"\\", b"/", b"*", b"(4)", b"bar/", b"/off", b"66:", b"XGID=", b"double", b"Doubles => 2", b" Takes",
    b" Drops", b"Wins 3 points", b"Resign", b"Beavers => 4", b"O-O", b"can't move", b"\xe2\x80\xa8", b"\xc2\xb2",
    b"\xfa", b"\xf8", b"\xfb", b"{", b"}",
]  # fmt: skip
"""What files are made of, in places where it does not belong."""

BGAMMON = b"""bgammon-replay 00000024
i 1702738670 Ann Bob 5 0 0 1 2 0
1 r 4-1 13/9 9/8
2 r 6-1 1/7 1/2
1 d 2 1
1 r 6-5 13/7 7/2
2 r 3-3 bar/3 bar/3 12/15 12/15
1 r 4-4
2 t
i 1702738999 Ann Bob 5 2 0 2 1 0
2 r 3-1 17/20 19/20
1 d 2 0
"""


def seeds_of(name: str, folders: list[Path]) -> list[bytes]:
    """Small sound files of a format."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size <= LARGEST_SEED:
                data = path.read_bytes()
                if FORMATS[name].detect(Document(data)) and formats.detect(data) == name:
                    found.append(data)
    match = formats.read(sample_match())
    short = replace(match, games=match.games[2:3])
    if FORMATS[name].write is not None:
        for content in formats.render([short], FORMATS[name]):
            found.append(content.encode() if isinstance(content, str) else content)
    if name == "xg":
        found = [small_xg(data) for data in found]
    elif name == "bgf":
        found.append(bgf_file(bgf_content(short)))
    elif name == "bgammon":
        found.append(BGAMMON)
    elif name == "xg-match":
        found.append(
            formats.render([short], "snowie")[0].encode().replace(b"Takes", b"Prend").replace(b"point match", b"")
        )
    found.sort(key=len)
    return [data for data in found[:12] if len(data) <= max(LARGE_SEED, len(found[0]) + LARGE_SEED)]


def small_xg(data: bytes) -> bytes:
    """A file of the first records, so that reading takes milliseconds."""
    try:
        header, records = xg_parts(data)
    except zlib.error:
        return data
    return xg_file(header, {"temp.xg": records[: RECORD * XG_RECORDS]})


def damaged(chance: random.Random, seeds: list[bytes], name: str) -> bytes:
    """A sound file with a few things gone wrong, also within what is packed."""
    if chance.random() < 0.02:
        return chance.choice(seeds)[:40] + chance.randbytes(chance.randrange(2000))
    data = chance.choice(seeds)
    if name == "xg" and chance.random() < 0.7:
        with contextlib.suppress(zlib.error):
            header, records = xg_parts(data)
            return xg_file(header, {"temp.xg": mutated(chance, records, [records])})
    if name == "bgf" and chance.random() < 0.7:
        head, _, body = data.partition(b"\n")
        return head + b"\n" + gzip.compress(mutated(chance, gzip.decompress(body), [body]), 1, mtime=0)
    return mutated(chance, data, seeds)


def mutated(chance: random.Random, data: bytes, seeds: list[bytes]) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 3, 6])):
        data = chance.choice(MUTATIONS)(chance, data, seeds)
    return data


def _flip(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]


def _cut(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _delete(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + data[place + chance.randrange(1, 200) :]


def _copy(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    place, other = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    return data[:place] + data[other : other + chance.randrange(1, 300)] + data[place:]


def _scrap(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(SCRAPS) + data[place + chance.choice([0, 0, 4]) :]


def _swap_lines(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _repeat_line(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    place = chance.randrange(len(lines))
    lines[place : place + 1] = [lines[place][:2000]] * chance.choice([0, 2, 30])
    return b"\n".join(lines)


def _digits(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    part = bytearray(data[place : place + 60])
    for index, byte in enumerate(part):
        if chr(byte).isdigit() and chance.random() < 0.2:
            part[index] = ord("0") + chance.randrange(10)
    return data[:place] + bytes(part) + data[place + 60 :]


def _splice(chance: random.Random, data: bytes, seeds: list[bytes]) -> bytes:
    other = chance.choice(seeds)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _replace(chance: random.Random, data: bytes, _: list[bytes]) -> bytes:
    old = chance.choice([b"  ", b"13/7", b"\n", b":", b"/", b"1", b"\x00\x00", b"\xff", b"A", b"\t"])
    new = chance.choice([b"", b" ", old * 2, chance.choice(SCRAPS)])
    return data.replace(old, new, chance.choice([1, 3, 20]))


Mutation = Callable[[random.Random, bytes, list[bytes]], bytes]

MUTATIONS: list[Mutation] = [
    _flip, _flip, _cut, _delete, _copy, _scrap, _scrap, _swap_lines, _repeat_line, _digits, _splice, _replace,
]  # fmt: skip


def enlarged(chance: random.Random, seeds: list[bytes], name: str) -> bytes:
    """About 1 MB of damaged files one after the other, or of one piece again and again within a file."""
    if name == "xg":
        header, records = b"", b""
        while not records:
            with contextlib.suppress(zlib.error):  # not every seed is packed
                header, records = xg_parts(chance.choice(seeds))
        records = mutated(chance, records, [records])
        many = records[:RECORD] + records[RECORD:] * (chance.choice([3, 30]) * LARGE // max(len(records), RECORD))
        packed = xg_file(header, {"temp.xg": many})
        return xg_file(header, {"temp.xg": many, "other": chance.randbytes(max(LARGE - len(packed), 0))})
    if name == "bgf":
        match = replace(formats.read_text(chance.choice(seeds)), length=0)
        content = bgf_content(match)
        games = content["games"]
        assert isinstance(games, list)
        content = {
            "other": [chance.random() for _ in range(60_000)],
            **content,
            "games": games * chance.choice([9, 300]),
        }
        head, _, body = bgf_file(content).partition(b"\n")
        inner = mutated(chance, gzip.decompress(body), [body])
        return head + b"\n" + gzip.compress(inner, 6, mtime=0)
    data = b""
    if chance.random() < 0.5:
        while len(data) < LARGE:
            data += damaged(chance, seeds, name) + chance.choice([b"", b"\n", b"\n\n"])
        return data
    data = chance.choice(seeds)
    place = chance.randrange(len(data) + 1)
    if chance.random() < 0.5:
        place = data.find(b"\n", place) + 1
    piece = data[place : place + chance.choice([1, 3, 20, 200, 1000])] or b" "
    return data[:place] + piece * (LARGE // len(piece)) + data[place:]


@dataclass(slots=True)
class Cost:
    """The most that inputs took, as a share of what they may, and the most for each byte."""

    seconds: float = 0.0
    memory: float = 0.0
    seconds_per_byte: float = 0.0
    memory_per_byte: float = 0.0

    def time(self, seconds: float, data: bytes, allowed: float) -> bool:
        """Whether that is not too long."""
        self.seconds = max(self.seconds, seconds / allowed)
        self.seconds_per_byte = max(self.seconds_per_byte, seconds / len(data)) if data else 0.0
        return seconds <= allowed

    def space(self, peak: int, data: bytes, allowed: float) -> bool:
        """Whether that is not too much."""
        self.memory = max(self.memory, peak / allowed)
        self.memory_per_byte = max(self.memory_per_byte, peak / len(data)) if data else 0.0
        return peak <= allowed


def complaint(name: str, number: int, data: bytes, cost: Cost, measured: int = MEASURED) -> str | None:
    """What a reader did wrong with an input; None for nothing. Of every `measured` inputs the memory is looked at."""
    size = max(len(data), 200_000) if name in PACKED else len(data)
    if number % measured == 0:
        tracemalloc.start()
        with contextlib.suppress(Exception):
            FORMATS[name].read(Document(data, "fuzz"))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if not cost.space(peak, data, START_MEMORY + MEMORY * size):
            return f"{peak} bytes of memory for {len(data)} bytes"
    times = []
    allowed = START_SECONDS + SECONDS * size
    for _ in range(3):
        gc.disable()  # as in formats.read_all
        started = time.process_time()
        try:
            matches = FORMATS[name].read(Document(data, "fuzz"))
        except InvalidFileError:
            matches = []
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        else:
            if not matches:
                return "no match and no error"
        finally:
            times.append(time.process_time() - started)
            gc.enable()
        if times[-1] <= allowed / 2:
            break  # else perhaps the machine was busy; what is really slow is so again
    if not cost.time(min(times), data, allowed):
        return f"{min(times):.3f} s for {len(data)} bytes"
    if matches and number % 16 == 0:
        formats.detect(data)
        return rewritten(name, matches)
    return None


def rewritten(name: str, matches: list[Match]) -> str | None:
    """What is wrong with writing what was understood, in its own format or as `.mat`."""
    target = FORMATS[name] if FORMATS[name].write is not None else FORMATS["mat"]
    try:
        formats.render(matches, target)
    except SixprimeError:
        pass  # not every position has an ID
    except Exception as error:
        return f"written again: {type(error).__name__}: {error}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--formats", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    parser.add_argument("--inputs", type=int, default=200_000, help="for each format")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--large", type=int, default=40, help="inputs of about 1 MB, for each format")
    parser.add_argument("--seeds", type=Path, nargs="*", default=[], help="folders with more files")
    options = parser.parse_args()
    failures = 0
    for name in options.formats:
        files = seeds_of(name, [TESTS / "data", *options.seeds])
        if not files:
            print(f"{name}: no seed files")
            failures += 1
            continue
        started, found = time.process_time(), 0
        cost, large = Cost(), Cost()

        def check(what: str, number: int, data: bytes, cost: Cost, measured: int, name: str = name) -> bool:
            said = complaint(name, number, data, cost, measured)
            if said is not None:
                print(f"{name}: {what} {number}: {said}", flush=True)
            return said is not None

        for number in range(options.first, options.first + options.inputs):
            data = damaged(random.Random(f"{name} {number}"), files, name)
            found += check("input", number, data, cost, MEASURED)
            if found >= MOST_FAILURES:
                break
        for number in range(options.large):
            data = enlarged(random.Random(f"{name} large {number}"), files, name)
            found += check("large input", number, data, large, 1)
        failures += found
        seconds = time.process_time() - started
        print(
            f"{name}: {options.inputs} inputs from {len(files)} files, {found} failures, {seconds:.0f} s of one core; "
            f"at most {cost.seconds:.0%} of the time and {cost.memory:.0%} of the memory allowed; "
            f"of {LARGE / 1e6:g} MB: {large.seconds_per_byte * 1e6:.2f} s, {large.memory_per_byte:.1f} times the size",
            flush=True,
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

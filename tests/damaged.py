"""Damaged inputs of every kind that Sixprime reads, for the tests and for `benchmarks/fuzz.py`.

A `Kind` has sound seeds, a way to damage them and a way to feed what comes of it. Input i of a kind depends on its
number and the seeds alone, so that a failure can be repeated.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from damaged_commands import command_seeds, damage_commands, feed_commands
from made_match import make_match
from packed_files import RECORD, bgf_content, bgf_file, xg_file, xg_parts
from rich.console import Console
from smile_writer import dumps

from sixprime import codec, formats, report, settings
from sixprime.analysis.model import AnalysedMatch
from sixprime.bearoff import gnubg
from sixprime.bearoff._one_sided import OneSided
from sixprime.bearoff._two_sided import TwoSided
from sixprime.bearoff.hyper import Hyper
from sixprime.bearoff.normal import Normal
from sixprime.cube import met, met_xg, met_xml
from sixprime.engine import rollout_result
from sixprime.engine.presets import PRESETS
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.engine.trials import Trials
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.formats import FORMATS, _smile
from sixprime.formats._ogxm_read import match_of
from sixprime.formats._text import Document
from sixprime.game import MatchState, Position, ids, parse, parse_play
from sixprime.game.match_rules import Rules
from sixprime.game.ogid import encode_ogid
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Match
from sixprime.learn.deck import Card, Deck, Review
from sixprime.learn.drills import Attempt, DrillKind, DrillLog
from sixprime.learn.questions import of_decision
from sixprime.learn.schedule import Memory, Rating
from sixprime.nets import file, race
from sixprime.nets.params import Spec, initial
from sixprime.paths import sample_match
from sixprime.play import ListedDice, Person, SeededDice, Session
from sixprime.play.duel import _read as read_duel
from sixprime.report.drill import log_to_dict
from sixprime.report.quiz import render_question, standing_to_dict
from sixprime.train import database as lessons
from sixprime.train import recipe, strength

LARGE = 1_000_000  # bytes
LARGEST_SEED = 200_000  # bytes
LARGE_SEED = 4000  # larger ones make few inputs a second and are used where there are no smaller
XG_RECORDS = 12
_XG = ("xg", "xgp")
_MOVES = re.compile(rb"Move number [4-9]:")
_DETECTED = {"xgp": "xg"}  # formats that are recognised as another one

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


def seeds_of(name: str, folders: Sequence[Path]) -> list[bytes]:
    """Small sound files of a format."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size <= LARGEST_SEED:
                data = path.read_bytes()
                if FORMATS[_DETECTED.get(name, name)].detect(Document(data)) and formats.detect(data) == _DETECTED.get(
                    name, name
                ):
                    found.append(data)
    match = formats.read(sample_match())
    short = replace(match, games=match.games[2:3])
    if FORMATS[name].write is not None:
        for content in formats.render([short], FORMATS[name]):
            found.append(content.encode() if isinstance(content, str) else content)
    if name in _XG:
        found = [small_xg(data) for data in found]
    elif name == "bgf":
        found = [*map(small_bgf, found), bgf_file(bgf_content(short))]
    elif name == "gnubg-text":
        found = [data[: _MOVES.search(data + b"Move number 4:").start()] for data in found]  # type: ignore[union-attr]
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


def small_bgf(data: bytes) -> bytes:
    """A file of the first moves of the first game, with the line of JSON that it has."""
    head, _, body = data.partition(b"\n")
    content = _smile.loads(gzip.decompress(body))
    content["games"] = [{**game, "moves": game["moves"][:10]} for game in content["games"][:1]]
    return head + b"\n" + gzip.compress(dumps(content), mtime=0)


def damaged(chance: random.Random, seeds: list[bytes], name: str) -> bytes:
    """A sound file with a few things gone wrong, also within what is packed."""
    if chance.random() < 0.02:
        return chance.choice(seeds)[:40] + chance.randbytes(chance.randrange(2000))
    data = chance.choice(seeds)
    if name in _XG and chance.random() < 0.7:
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
    if name in _XG:
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


# Kinds


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of input. inputs: how many of them make a thorough run. feed: reads one; it may raise `errors` and
    nothing else. seconds, memory: what any input may take, and what each byte; packed: bytes it may count as at least.
    """

    name: str
    inputs: int
    seeds: Callable[[Sequence[Path]], list[bytes]]
    feed: Callable[[bytes], object]
    damage: Callable[[random.Random, list[bytes]], bytes]
    errors: type[Exception] = SixprimeError
    seconds: tuple[float, float] = (0.02, 1e-6)
    memory: tuple[int, int] = (64 << 20, 1)
    packed: int = 0

    def input(self, number: int, seeds: list[bytes]) -> bytes:
        """Input `number`."""
        return self.damage(random.Random(f"{self.name} {number}"), seeds)


def read_match(name: str, data: bytes) -> list[Match]:
    """What the reader of a format finds, at least one match."""
    matches = FORMATS[name].read(Document(data, "fuzz"))
    if not matches:
        raise AssertionError("no match and no error")
    return matches


def rewrite(data: bytes) -> None:
    """Reads a file, writes it in every format, and reads that: what a writer does not refuse is a file."""
    name = formats.detect(data)
    if name is None:
        return
    matches = FORMATS[name].read(Document(data, "fuzz"))[:2]
    wrong = []
    for known in FORMATS.values():
        if known.write is None:
            continue
        with contextlib.suppress(SixprimeError):
            contents = formats.render(matches, known)
            for content in contents[:2]:
                try:
                    known.read(Document(content, "written"))
                except InvalidFileError as error:
                    wrong.append(f"written as {known.name}, but not read: {error}")
    if wrong:
        raise AssertionError("; ".join(wrong))


def match_seeds(folders: Sequence[Path]) -> list[bytes]:
    """Small files of all formats."""
    return [data for name in FORMATS for data in seeds_of(name, folders)[:3]]


def damage_match(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A file that is damaged a little, within what is packed, too, so that most can be read."""
    data = chance.choice(seeds)
    name = formats.detect(data) or "mat"
    return damaged(chance, [data], name) if chance.random() < 0.9 else data


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder of this process, in memory where there is such a place; it goes with the process."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    return tempfile.TemporaryDirectory(prefix="sixprime-fuzz-", dir=place, ignore_cleanup_errors=True)


def _scratch() -> Path:
    return Path(_folder().name) / "input"


def all_tried(*readers: Callable[[], object]) -> None:
    """Calls every reader; raises the last error where none of them reads."""
    refusal: SixprimeError | None = None
    done = False
    for read in readers:
        try:
            read()
            done = True
        except SixprimeError as error:
            refusal = error
    if not done and refusal is not None:
        raise refusal


def from_file(read: Callable[[Path], object], data: bytes) -> None:
    """Reads the bytes as a file."""
    path = _scratch()
    path.write_bytes(data)
    try:
        read(path)
    finally:
        path.unlink()


def written(save: Callable[[Path], object]) -> bytes:
    """The bytes of a file."""
    path = _scratch()
    save(path)
    data = path.read_bytes()
    path.unlink()
    return data


def raw(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A few things gone wrong anywhere."""
    if chance.random() < 0.02:
        return chance.choice(seeds)[:40] + chance.randbytes(chance.randrange(2000))
    return mutated(chance, chance.choice(seeds), seeds)


STRANGE = [
    None, True, 0, -1, 1, 2, 2**31, 2**63, 2**70, 10**400, -0.5, 1e308, float("nan"), float("inf"),
    "", "a", "\0", [], {},
    [[]], [0] * 300, "x" * 300, {"a": 1},
]  # fmt: skip
"""What a field of JSON may hold instead."""


def mutated_json(chance: random.Random, value: Any) -> Any:
    """The same with one field changed, missing, doubled or exchanged."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: part for name, part in value.items() if name != key}
        if chance.random() < 0.1:
            return {**value, key: value[chance.choice(list(value))]}
        return {**value, key: mutated_json(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        part = [] if chance.random() < 0.1 else [mutated_json(chance, value[place])] * chance.choice([1, 1, 1, 2])
        return [*value[:place], *part, *value[place + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.4:
        return value + chance.choice([-2, -1, 1, 2, 100])
    return chance.choice(STRANGE)


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def damage_json(chance: random.Random, seeds: list[bytes]) -> bytes:
    """JSON with fields that hold something else, or with other bytes."""
    if chance.random() < 0.3:
        return raw(chance, seeds)
    value = json.loads(chance.choice(seeds))
    for _ in range(chance.choice([1, 1, 2, 3])):
        value = mutated_json(chance, value)
    return _dumped(value)


def ogxm_seeds(folders: Sequence[Path]) -> list[bytes]:
    """What the library says of small files, none where it is not installed."""
    try:
        import ogxm
    except ImportError:
        return [b'{"games":[{"plies":[]}]}']
    return [_dumped(ogxm.binary_to_json(data)) for data in seeds_of("ogxm", folders)]


def damage_document(chance: random.Random, seeds: list[bytes]) -> bytes:
    """JSON of objects with fields that hold something else."""
    value = json.loads(chance.choice(seeds))
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        changed = mutated_json(chance, value)
        value = changed if isinstance(changed, dict) else value
    return _dumped(value)


def damage_net(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A net whose header says something else, or with other bytes."""
    if chance.random() < 0.3:
        return raw(chance, seeds)
    data = chance.choice(seeds)
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    words = header["__metadata__"]
    if "nets" in words and chance.random() < 0.5:
        key = chance.choice(["nets", "header"])
        words[key] = json.dumps(mutated_json(chance, json.loads(words[key])))
    else:
        header = mutated_json(chance, header)
    text = _dumped(header)
    return (
        len(text).to_bytes(8, "little")
        + text
        + (data[start:] if chance.random() < 0.9 else raw(chance, [data[start:]]))
    )


def net_seeds(_: Sequence[Path]) -> list[bytes]:
    """Nets of a few units, plain and packed, with and without a net of back games."""
    small, large = Spec(4, False, False), Spec(2, False, False)
    nets = {"contact": initial(small, 1), "race": initial(large, 2), "pruner": initial(large, 3)}
    with_back = {**nets, "back": initial(small, 4)}
    pairs = ((nets, False), (nets, True), (with_back, False), (with_back, True))
    return [written(lambda path, pair=pair: file.save(path, pair[0], {"name": "a"}, packed=pair[1])) for pair in pairs]


def damage_archive(chance: random.Random, seeds: list[bytes]) -> bytes:
    """An archive of arrays damaged as it is, in a member, or in the head of a rollout."""
    data = chance.choice(seeds)
    if chance.random() < 0.3:
        return raw(chance, seeds)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice([*members, "head.npy"])
    if name == "head.npy" and chance.random() < 0.8:
        head = json.loads(str(np.load(io.BytesIO(members[name]))))
        stream = io.BytesIO()
        np.save(stream, np.array(json.dumps(mutated_json(chance, head))))
        members[name] = stream.getvalue()
    elif chance.random() < 0.1:
        del members[name]
    else:
        members[name] = mutated(chance, members[name], [*members.values()])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", chance.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def rollout_seeds(_: Sequence[Path]) -> list[bytes]:
    """Rollouts of a few made-up trials: of a position, of plays and of a cube decision."""
    start = Position.start()
    plays = start.plays((3, 1))[:2]
    trials = Trials.empty(3)
    trials.values[:] = 0.25
    trials.outcomes[:, 0] = 0.5
    found = []
    for kind, state, dice in (
        ("position", MatchState(), None),
        ("plays", MatchState(length=5, score=(1, 2)), (3, 1)),
        ("cube", MatchState(), None),
    ):
        alternatives = rollout_result.alternatives_of(kind, start, state, plays if dice else [])
        settings = RolloutSettings(trials=3, truncation=1)
        raw = (trials,) * len(alternatives)
        made = {"checked": 0, "engine": "a", "finished": True, "met": met.load()}
        result = rollout_result.RolloutResult(kind, start, state, dice, settings, alternatives, raw, **made)
        found.append(written(result.save))
    return found


def document_seeds(_: Sequence[Path]) -> list[bytes]:
    """A match, an analysis, rollouts and settings in JSON."""
    analysed = make_match(seed=3, length=5, games=1, turns=3)
    rollouts = [_loaded(data) for data in rollout_seeds(())]
    known = [
        replace(analysed.match, source="fuzz"),
        analysed,
        *rollouts,
        RolloutSettings(),
        Rules(length=3),
        PRESETS["roller"],
        _deck(analysed),
        DrillLog((Attempt(DrillKind.PIPS, _MOMENT, 12.5, 3.0, False),)),
    ]
    return [codec.to_json(value) for value in known]


_MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _deck(analysed: AnalysedMatch) -> Deck:
    """A question of each kind that the match has, one of them answered."""
    found = {decision.kind: decision for decision in analysed.decisions if decision.plays or decision.cube}
    questions = [of_decision(decision) for decision in found.values()]
    review = Review(_MOMENT, questions[0].best, 0.0, 5.0, Rating.GOOD)
    memory = Memory(2, None, 3.5, 5.0, _MOMENT, _MOMENT)
    return Deck((Card(questions[0], memory, (review,)), *map(Card, questions[1:])))


def _loaded(data: bytes) -> rollout_result.RolloutResult:
    path = _scratch()
    path.write_bytes(data)
    return rollout_result.load(path)


def use_document(path: Path) -> None:
    """Reads a document, and reports or writes what is in it."""
    value = codec.load(path, object)
    match value:
        case AnalysedMatch():
            json.dumps(report.to_dict(value), allow_nan=False)
            report.match_text(value)
            report.render_html(value)
        case Match():
            for known in FORMATS.values():
                if known.write is not None:
                    with contextlib.suppress(SixprimeError):
                        formats.render([value], known)
        case rollout_result.RolloutResult():
            json.dumps(report.rollout_to_dict(value), allow_nan=False)
        case Deck():
            json.dumps(standing_to_dict(value.cards, _MOMENT), allow_nan=False)
            for card in value.cards:
                with io.StringIO() as stream:
                    render_question(card.question, console=Console(file=stream))
                assert card.question.choices
        case DrillLog():
            json.dumps(log_to_dict(value), allow_nan=False)
    document = codec.to_json(value)
    assert codec.to_json(codec.from_json(document, object)) == document


def met_seeds(_: Sequence[Path]) -> list[bytes]:
    """Tables in the form of eXtreme Gammon."""
    return [written(partial(met_xg.write_met, met.load("woolsey"), size=size)) for size in (2, 5)]


MET_SCRAPS = [
    b"[", b"]", b"=", b"Size=", b"Size=65", b"Size=-1", b"nan", b"1e999", b"0.5 ", b"\r\n\r\n", b"%(a)s", b"Data=",
    b"[PreCrawford]", b" 1=", b"\0", b";", b"\xff",
]  # fmt: skip


def table_seeds(_: Sequence[Path]) -> list[bytes]:
    """Match equity tables as XML: explicit, calculated by either formula, with players unlike."""
    explicit = written(lambda path: met_xml.write_xml(met.load(), path, 5))
    unlike = written(lambda path: met_xml.write_xml(met.load("jac100"), path, 4))
    parameters = "".join(f'<parameter name="{name}">0.2</parameter>' for name in ("gammon-rate-leader", "delta"))
    inside = {"zadeh": f"<parameters>{parameters}</parameters>", "mec": ""}
    calculated = [
        f'<met><info><name>a</name></info><pre-crawford-table type="{kind}">{more}</pre-crawford-table>'
        f'<post-crawford-table type="{kind}" player="both"/></met>'
        for kind, more in inside.items()
    ]
    return [explicit, unlike, *(text.encode() for text in calculated)]


XML_SCRAPS = [
    b"<me>0.5</me>", b"<row>", b"</row>", b"<met>", b"&amp;", b"&#0;", b"&x;", b'<!DOCTYPE met [<!ENTITY x "y">]>',
    b"<![CDATA[", b"<length>", b"1e9", b"nan", b"-inf", b' player="1"', b' type="mec"', b' encoding="utf-16"',
    b"<!--", b"?>",
]  # fmt: skip


def damage_text(scraps: list[bytes], chance: random.Random, seeds: list[bytes]) -> bytes:
    """A text damaged, or with pieces of its own language where they do not belong."""
    data = raw(chance, seeds)
    for _ in range(chance.choice([0, 0, 1, 2])):
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.choice(scraps) + data[place + chance.choice([0, 3, 10]) :]
    return data


def recipe_seeds(_: Sequence[Path]) -> list[bytes]:
    """The recipes that ship, and a short one."""
    shipped = [path.read_bytes() for path in sorted((Path(recipe.__file__).parent / "recipes").glob("*.toml"))]
    nets = "".join(f"[nets.{net}]\nhidden = 4\nrear = false\npairs = false\n" for net in ("contact", "race", "pruner"))
    stages = "".join(
        f'[[stage]]\nkind = "{kind}"\n{more}\n'
        for kind, more in (("td", "positions = 9"), ("harvest", 'positions = 9\nmix = "all"'), ("learn", "epochs = 1"))
    )
    return [*shipped, f'name = "a"\nseed = 1\n{nets}{stages}'.encode()]


TOML_SCRAPS = [
    b"[", b"[[stage]]\n", b"{", b'kind = ["td"]\n', b"= 1", b"seed = 0x" + b"f" * 60, b"1" + b"0" * 5000,
    b"nan", b"inf",
    b'"""', b"a.b.c = 1\n", b"1979-05-27T07:32:00Z", b"true", b"[nets.back]\n", b"#", b"\\u0000", b"=",
]  # fmt: skip


def settings_seeds(_: Sequence[Path]) -> list[bytes]:
    """A file with something of every section."""
    keys = {"engine": 'level = "roller"\nthreads = 2', "rollout": "trials = 36 # few\nrotate = false\nnoise = 0.04"}
    keys |= {"thresholds": "doubtful = 0.02", "files": 'encoding = "cp1252"'}
    return ["".join(f"[{section}]\n{lines}\n\n" for section, lines in keys.items()).encode()]


STATE: dict[str, Any] = {
    "format": "sixprime-duel-1", "settings": {"a": "x", "seed": 1}, "numbers": [0, 1],
    "raw": [[1.0, 2.0], [0.5, 0.25]], "luck": [[0.0, 0.1], [0.2, 0.3]],
}  # fmt: skip


JOURNAL = b"""\
{"format":"sixprime-session-1","dice":{"kind":"SeededDice","seed":1},"players":[{"name":"A"},{"name":"B","rating":1.5}],\
"rules":{"length":3,"variant":"standard"},"score":[1,0],"crawford":false}
{"do":"opening","dice":[3,1],"alone":true}
{"do":"move","player":0,"play":"8/5 6/5"}
{"do":"double","player":1}
{"do":"take","player":0}
{"go":3}
{"dice":{"kind":"ListedDice","digits":"3164"}}
{"do":"resign","player":1,"value":2}
{"do":"accept","player":0}
"""
JOURNAL_SCRAPS = [
    b'{"go":0}\n', b'{"do":"nextgame"}\n', b'{"do":"roll","player":1,"dice":[6,6]}\n', b"\n", b"null", b"[]", b"{}",
    b"1e999",
    b'"player":true', b'"value":1.0', b'"dice":[0,7]', b"99999999999999999999", b"NaN", b'"do":"set"', b'"position":',
    b'"state":{"length":3}', b'"ManualDice"',
]  # fmt: skip
DICE_SCRAPS = [b"0", b"7", b"\xff", b"\0", "¹".encode(), b"1", b"--", b"\r\n"]


def read_journal(path: Path) -> object:
    """The table that a journal tells of."""
    return Session.resume(path, (Person("A"), Person("B")), dice=SeededDice(1)).table


ROWS: list[dict[str, Any]] = [
    {"id": "a", "set": "b", "posid": "4HPwATDgc/ABMA", "equity": 0.1, "se": None},
    {"cands": [{"pos": "a", "eq": -0.2}, {"pos": "b", "eq": 0.1}]},
]


def read_row(path: Path) -> None:
    """Reads a reference row of either kind."""
    all_tried(*(partial(strength._lines, path, kinds) for kinds in (strength._ROLLOUT, strength._DECISION)))


LESSON = {
    "id": Position.start().id,
    "decision": 3,
    "rollouts": [
        {
            "engine": "0-ply, engine x",
            "seed": 1,
            "trials": 36,
            **dict(zip(Outcomes._fields, (0.525, 0.15, 0.007, 0.127, 0.005), strict=True)),
            "error": 0.002,
        }
    ],
}


def lessons_seeds(_: Sequence[Path]) -> list[bytes]:
    """A small database of lessons."""

    def save(path: Path) -> None:
        text = path.with_name("lesson")
        text.write_bytes(_dumped(LESSON))
        with lessons.Database(path, create=True) as base:
            base.merge(lessons.read(text))

    return [written(save)]


def database_seeds(_: Sequence[Path]) -> list[bytes]:
    """The smallest databases of every kind, ours and GNU Backgammon's."""
    one, two, normal, hyper = OneSided.build(2, 3), TwoSided.build(2, 2), Normal.build(2, 3), small_hyper()
    saves = [
        one.save, two.save, normal.save, hyper.save, hyper.write_gnubg, partial(gnubg.write_one_sided, database=one),
        partial(gnubg.write_one_sided, database=one, compressed=False), partial(gnubg.write_two_sided, database=two),
        partial(gnubg.write_normal, database=normal),
    ]  # fmt: skip
    return [written(save) for save in saves]


@cache
def small_hyper() -> Hyper:
    """Hypergammon with one chequer."""
    return Hyper.build(1)


def damage_database(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A database with a header that says something else, or with a few other bytes, mostly near its beginning."""
    data = chance.choice(seeds)
    mark = b"Sixprime bear-off database\n"
    if data.startswith(mark) and chance.random() < 0.5:
        fields = mutated_json(chance, json.loads(data[len(mark) : 1024]))
        return (mark + _dumped(fields)).ljust(1023)[:1023] + b"\n" + data[1024:]
    size = chance.choice([20, 60, 1100])
    return mutated(chance, data[:size], [data]) + data[size:] if chance.random() < 0.7 else raw(chance, [data])


def read_database(path: Path) -> None:
    """Opens a file as each kind of database in turn."""

    def one_sided() -> None:
        _, rows = gnubg.read_one_sided(path)
        rows(0, 5)

    all_tried(
        lambda: OneSided.open(path, 2, 3),
        lambda: TwoSided.open(path, 2, 2),
        lambda: Normal.open(path, 2, 3),
        lambda: Hyper.open(path, 1),
        lambda: Hyper.read_gnubg(path),
        lambda: gnubg.read_two_sided(path),
        lambda: gnubg.read_normal(path),
        one_sided,
    )


def id_seeds(write: Callable[[Position, MatchState], str], _: Sequence[Path]) -> list[bytes]:
    """IDs of a few positions at a few scores."""
    states = (
        MatchState(),
        MatchState(length=7, score=(6, 2), crawford=True, on_roll=0),
        MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, dice=(6, 1)),
        MatchState(cube=4, cube_owner=0, doubled=True, jacoby=False),
    )
    positions = [Position.start(), Position.start("hypergammon3"), Position.start().plays((6, 5))[0].result]
    return [write(position, state).encode() for position in positions for state in states]


def fibs_seeds(_: Sequence[Path]) -> list[bytes]:
    """Board lines."""
    matches = [formats.read(sample_match())]
    lines = formats.render(matches, "fibsboard")[0].splitlines()
    return [str(line).encode() for line in lines[:12]]


ID_SCRAPS = [
    b":",
    b"XGID=",
    b"=",
    b"-",
    b"p",
    b"P",
    b"A",
    b"/",
    b"+",
    b"99999",
    b"0",
    b"O",
    b"D",
    b"board:",
    b"\xc2\xb2",
    b" ",
]


def read_id(data: bytes) -> None:
    """Reads an ID and writes what it says in every way."""
    found = parse(data.decode("utf-8", errors="replace"))
    found.position.status()
    found.position.diagram()
    for write in (ids.gnubg_id, ids.encode_xgid, encode_ogid):
        with contextlib.suppress(SixprimeError):
            write(found.position, found.state)


def play_seeds(_: Sequence[Path]) -> list[bytes]:
    """Plays of all rolls."""
    plays = {
        f"{high}{low} {play}"
        for high in range(1, 7)
        for low in range(1, high + 1)
        for play in PLACES[0].plays((high, low))
    }
    return [text.encode() for text in sorted(plays)]


PLACES = [
    Position.start(),
    Position((2,) * 5 + (5,) + (0,) * 19, (3,) + (0,) * 19 + (5, 5, 0, 0, 2)),
    Position((0,) * 12 + (5, 10) + (0,) * 11, (2, 3, 2, 3, 2, 3) + (0,) * 19),
]
PLAY_SCRAPS = [b"bar/", b"/off", b"*", b"(4)", b"(0)", b"25", b"0", b"/", b"-", b",", b" ", b"99", b"24/1"]


def read_play(data: bytes) -> None:
    """Reads a play of a roll in several positions."""
    text = data.decode("utf-8", errors="replace")
    dice = (1 + len(text) % 6, 1 + sum(data) % 6)
    if len(text) > 1 and set(text[:2]) <= set("123456"):
        dice = int(text[0]), int(text[1])
    for position in PLACES:
        with contextlib.suppress(SixprimeError):
            parse_play(text[2:], position, dice)


def _texts(scraps: list[bytes]) -> Callable[[random.Random, list[bytes]], bytes]:
    return partial(damage_text, scraps)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(
            Kind(
                name,
                20_000,
                partial(seeds_of, name),
                partial(read_match, name),
                lambda chance, seeds, name=name: damaged(chance, seeds, name),  # type: ignore[misc]
                InvalidFileError,
                memory=(4 << 20, 50),
                packed=200_000 if name in (*_XG, "bgf") else 0,
            )
            for name in FORMATS
        ),
        Kind(
            "ogxm-document",
            20_000,
            ogxm_seeds,
            lambda data: match_of(json.loads(data)),
            damage_document,
            seconds=(0.1, 1e-6),
        ),
        Kind("writers", 5_000, match_seeds, rewrite, damage_match, seconds=(1.0, 3e-5), memory=(64 << 20, 50)),
        Kind("net", 30_000, net_seeds, partial(from_file, file.load), damage_net),
        Kind(
            "race-net",
            2_000,
            lambda _: [race.DEFAULT.read_bytes()],
            partial(from_file, race.load),
            damage_net,
        ),
        Kind("recipe", 60_000, recipe_seeds, partial(from_file, recipe.read_recipe), _texts(TOML_SCRAPS)),
        Kind("settings", 60_000, settings_seeds, partial(from_file, settings.load), _texts(TOML_SCRAPS)),
        Kind("rollout", 30_000, rollout_seeds, partial(from_file, rollout_result.load), damage_archive),
        Kind("document", 20_000, document_seeds, partial(from_file, use_document), damage_json, seconds=(0.5, 1e-6)),
        Kind("met", 20_000, table_seeds, partial(from_file, met_xml.read_xml), _texts(XML_SCRAPS), seconds=(0.1, 1e-6)),
        Kind("met-xg", 20_000, met_seeds, partial(from_file, met_xg.read_met), _texts(MET_SCRAPS), seconds=(0.1, 1e-6)),
        Kind(
            "duel",
            60_000,
            lambda _: [_dumped(STATE)],
            partial(from_file, lambda path: read_duel(path, {})),
            damage_json,
        ),
        Kind("journal", 20_000, lambda _: [JOURNAL], partial(from_file, read_journal), _texts(JOURNAL_SCRAPS)),
        Kind(
            "dice", 20_000, lambda _: [b"31, 6-5\n22\t41\n"], partial(from_file, ListedDice.read), _texts(DICE_SCRAPS)
        ),
        Kind("rows", 60_000, lambda _: [*map(_dumped, ROWS)], partial(from_file, read_row), damage_json),
        Kind("lessons", 60_000, lambda _: [_dumped(LESSON)], partial(from_file, lessons.read), damage_json),
        Kind("lessons-database", 4_000, lessons_seeds, partial(from_file, lessons.read), damage_database),
        Kind("database", 40_000, database_seeds, partial(from_file, read_database), damage_database),
        Kind("id-position", 60_000, partial(id_seeds, lambda position, _: position.id), read_id, _texts(ID_SCRAPS)),
        Kind("id-match", 60_000, partial(id_seeds, lambda _, state: state.match_id), read_id, _texts(ID_SCRAPS)),
        Kind("id-gnubg", 40_000, partial(id_seeds, ids.gnubg_id), read_id, _texts(ID_SCRAPS)),
        Kind("id-xgid", 60_000, partial(id_seeds, ids.encode_xgid), read_id, _texts(ID_SCRAPS)),
        Kind("id-ogid", 60_000, partial(id_seeds, encode_ogid), read_id, _texts(ID_SCRAPS)),
        Kind("id-fibs", 40_000, fibs_seeds, read_id, _texts(ID_SCRAPS)),
        Kind("play", 60_000, play_seeds, read_play, _texts(PLAY_SCRAPS)),
        Kind(
            "command",
            10_000,
            command_seeds,
            lambda data: feed_commands(_scratch().with_name("command"), data),
            damage_commands,
            seconds=(20.0, 1e-6),
            memory=(256 << 20, 1),
        ),
    )
}

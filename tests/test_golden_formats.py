"""Golden answers of the formats: every sample, whole and damaged, and what each format writes of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest
from golden import check
from packed_files import RECORD, bgf_content, bgf_file, xg_file, xg_parts
from random_matches import EVERYTHING, random_game
from test_formats_text import BGAMMON, OLDMOVES, SGG, TMG

from sixprime import __version__, formats
from sixprime.errors import InvalidFileError
from sixprime.formats import FORMATS
from sixprime.formats._text import Document
from sixprime.game.match_rules import Rules
from sixprime.game.record import Game, Match, Player
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data"
FILES = sorted(
    path
    for path in DATA.rglob("*")
    if path.parent.name in ("formats", "mat", "sgf", "positions")
    and path.suffix != ".md"
    and path.name != "analysed_statistics.txt"
)
LONGEST = 3000
"""Characters of a sample that are damaged: some dozen decisions."""

WORDS = (
    "", "0", "1", "7", "64", "31", "66:", "bar", "off", "*", "/", ":", ";", "(2)", "????", "Takes", "Drops", "Doubles",
    "=>", "Wins", "points", "Cannot Move", "Beavers", "resigns", "gammon", "-1", "99999", "AB[xy]", "]", "(", ")",
)  # fmt: skip


def told(match: Match) -> str:
    """All of a match but the wording of problems and where it came from."""
    places = [(problem.line, problem.column, problem.offset) for problem in match.problems]
    return f"{whole(replace(match, problems=(), source=''))} {places}"


def whole(value: object) -> str:
    """All fields of a value, where `repr` is brief."""
    if isinstance(value, Match | Game):
        said = (f"{each.name}={whole(getattr(value, each.name))}" for each in fields(value))
        return f"{type(value).__name__}({', '.join(said)})"
    if type(value) is tuple:
        return f"({', '.join(map(whole, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def read(data: str | bytes, format: str | None = None) -> str:
    try:
        document = Document(data, "f")
        found = FORMATS[format].read(document) if format else formats._parse(document)
    except InvalidFileError as error:
        return f"{error.line} {error.column} {error.offset}"
    return "\n".join(map(told, found))


def damaged(text: str, chance: random.Random) -> str:
    """A text with one to three mistakes that leave most of it readable."""
    for _ in range(chance.choice([1, 1, 2, 3])):
        lines = text.splitlines(keepends=True)
        row = chance.randrange(len(lines))
        tokens = re.findall(r"\w+|\s+|[^\w\s]", lines[row])
        place = chance.randrange(len(tokens)) if tokens else 0
        other = chance.choice(re.findall(r"\w+|[^\w\s]", text) or [""])
        match chance.randrange(8):
            case 0:
                del lines[row]
            case 1:
                lines.insert(row, lines[row])
            case 2:
                lines[row : row + 2] = lines[row : row + 2][::-1]
            case 3:
                lines[row:] = ["".join(tokens[:place])]
            case 4:
                lines[row] = "".join(tokens[:place] + tokens[place + 1 :])
            case 5:
                lines[row] = "".join([*tokens[:place], other, *tokens[place + 1 :]])
            case 6:
                lines[row] = "".join([*tokens[:place], chance.choice(WORDS), *tokens[place + 1 :]])
            case _:
                digits = [i for i, token in enumerate(tokens) if token.isdigit()]
                for i in chance.sample(digits, min(2, len(digits))):
                    tokens[i] = str(chance.choice([0, 1, int(tokens[i][:9]) + 1, chance.randrange(26)]))
                lines[row] = "".join(tokens)
        text = "".join(lines) or " "
    return text


def broken(data: bytes, chance: random.Random) -> bytes:
    """Bytes with one to three of them changed, or the end cut off."""
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 3])):
        place = chance.randrange(len(out))
        match chance.randrange(5):
            case 0:
                out[place] = chance.randrange(256)
            case 1:
                out[place] = max(out[place] - 1, 0)
            case 2:
                out[place] = min(out[place] + 1, 255)
            case 3:
                out[place : place + 4] = chance.randrange(-3, 30).to_bytes(4, "little", signed=True)
            case _:
                del out[-chance.randrange(1, 400) :]
        out = out or bytearray(b"\0")
    return bytes(out)


def is_text(path: Path) -> bool:
    return path.suffix not in (".xg", ".bgf", ".pos")


@cache
def sample(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_samples_are_read_in_full(path: Path) -> None:
    check("read", path.name, [read(path.read_bytes())])


@pytest.mark.parametrize("path", [path for path in FILES if is_text(path)], ids=lambda path: path.name)
def test_damaged_texts(path: Path) -> None:
    head, name = sample(path)[:LONGEST], formats.detect(path.read_bytes())
    # The formats with most to say are tried more often.
    count = 100 if path.suffix == ".sgf" else 45
    texts = (damaged(head, random.Random(f"{path.name} {seed}")) for seed in range(count))
    # As what it was, even where it is no longer known by its head.
    check("damaged", path.name, (read(text, name if i % 4 else None) for i, text in enumerate(texts)))


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".pos"], ids=lambda path: path.name)
def test_damaged_positions(path: Path) -> None:
    data = path.read_bytes()
    check("damaged", path.name, (read(broken(data, random.Random(seed)), "pos") for seed in range(80)))


def test_damaged_records_of_extreme_gammon() -> None:
    header, records = xg_parts((DATA / "formats" / "match.xg").read_bytes())
    head, few = records[: 2 * RECORD], records[2 * RECORD : 14 * RECORD]

    def made(seed: int) -> str:
        chance = random.Random(seed)
        order = [few[i : i + RECORD] for i in range(0, len(few), RECORD)]
        rows = list(range(len(order)))
        if chance.random() < 0.3:
            del rows[chance.randrange(len(rows))]
        for i in chance.sample(rows, 2):
            # What is read stands near the beginning of a record and in its table of plays.
            size = chance.choice([60, 260, 1200])
            order[i] = broken(order[i][:size], chance)[:size].ljust(size, b"\0") + order[i][size:]
        opening = broken(head[:800], chance).ljust(800, b"\0") + head[800:] if chance.random() < 0.2 else head
        return read(xg_file(header, {"temp.xg": opening + b"".join(order[i] for i in rows)}), "xg")

    check("damaged", "match.xg", map(made, range(100)))


def test_damaged_content_of_bgblitz() -> None:
    match = formats.read(sample_match())
    content = bgf_content(replace(match, games=match.games[:2]))

    def made(seed: int) -> str:
        chance = random.Random(seed)

        def changed(value: object) -> object:
            if isinstance(value, dict):
                return {key: changed(item) for key, item in value.items() if chance.random() > 0.002}
            if isinstance(value, list):
                return [changed(item) for item in value if chance.random() > 0.002]
            if chance.random() > 0.002:
                return value
            return chance.choice([0, 1, -1, 2, 25, 7, "x", None, 0.5, True, [], {}])

        return read(bgf_file(changed(content), smile=bool(seed % 2)), "bgf")

    check("damaged", "match.bgf", map(made, range(40)))


@cache
def played(seed: int) -> Match:
    """A random match with everything a file may have to hold."""
    chance = random.Random(seed)
    length = chance.choice([0, 0, 1, 3, 7])
    setup = Rules(
        length=length,
        variant=chance.choice(["standard", "standard", "nackgammon", "hypergammon3"]),
        crawford_rule=chance.random() < 0.7,
        jacoby=chance.random() < 0.5 or length > 0,
        beavers=0 if length else chance.choice([0, 1, 3]),
        cube_limit=chance.choice([1024, 1024, 64]),
    )
    games: list[Game] = []
    score, over = (0, 0), False
    while len(games) < 4 and (not length or max(score) < length):
        point = length > 1 and (length - score[0] == 1) != (length - score[1] == 1)
        game = random_game(chance, EVERYTHING, setup, len(games) + 1, score, setup.crawford_rule and point and not over)
        over = over or point
        games.append(game if chance.random() < 0.8 else replace(game, comment="a game\nwith: a remark"))
        score = (score[0] + game.points * (game.winner == 0), score[1] + game.points * (game.winner == 1))
    rating = chance.random() < 0.5
    names = chance.choice([("Ann", "Bob"), ("Zoë :)", "A (B)"), ("", "a very long name of a player"), ("X", "x y; z")])
    return Match(
        players=(
            Player(names[0], 1500.25 if rating else None, 42 if rating else None),
            Player(names[1], 1723.5 if rating else None, 7 if rating else None),
        ),
        length=length,
        games=tuple(games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not length,
        beavers=setup.beavers,
        cube_limit=setup.cube_limit,
        info={} if seed % 3 else {"event": "Open", "round": "2", "place": "Æbeltoft", "date": "2024-02-29",
                                  "time": "10:30", "annotator": "C", "comment": "a\nb"},
    )  # fmt: skip


@cache
def written() -> list[tuple[str, list[Match]]]:
    """Matches to write, by name: of every sample its beginning, whole and damaged, and random ones."""
    texts = {path.name: sample(path)[:LONGEST] for path in FILES if is_text(path)}
    found = [(f"{name}-{seed}", damaged(text, random.Random(f"{name} {seed}")) if seed else text)
             for name, text in texts.items() for seed in range(3)]  # fmt: skip
    result: list[tuple[str, list[Match]]] = []
    for name, text in found:
        try:
            result.append((name, formats._parse(Document(text, "f"))))
        except InvalidFileError:
            continue
    return result + [(f"random-{seed}", [played(seed)]) for seed in range(24)]


RICH = {"sgg": SGG, "oldmoves": OLDMOVES, "tmg": TMG, "bgammon": BGAMMON}
"""Records of every kind, where the samples have few."""


def own(name: str) -> list[str]:
    """Texts to damage that are ours: random matches in a format, and what was written by hand."""
    found = [RICH[name]] if name in RICH else []
    for seed in range(7 if FORMATS[name].write else 0):
        try:
            parts = formats.render([played(seed)], name)
        except InvalidFileError:
            continue
        found += [part[:LONGEST].replace(__version__, "VERSION") for part in parts[:1]
                  if isinstance(part, str) and part.strip()]  # fmt: skip
    return found


@pytest.mark.parametrize("name", [name for name in FORMATS if own(name)])
def test_damage_to_what_is_written(name: str) -> None:
    texts, chance = own(name), random.Random(name)
    several = texts + [damaged(texts[i % len(texts)], chance) for i in range(45)]
    # Every line of what has records of every kind is missed once: what does a file say that says nothing of it?
    lines = RICH.get(name, "").splitlines(keepends=True)
    several += ["".join(lines[:i] + lines[i + 1 :]) for i in range(len(lines))]
    check("damaged", name, (read(text, name) for text in several))


def rendered(name: str, matches: list[Match]) -> Iterator[str]:
    for match in matches:
        yield str(FORMATS[name].losses(match))
    try:
        for part in formats.render(matches, name):
            yield (part if isinstance(part, str) else part.hex()).replace(__version__, "VERSION")
    except InvalidFileError:
        yield "cannot be held"


PACKED = ("xg", "xgp")  # their bytes are those of the machine's zlib; `test_formats_xg_write.py` reads them


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.write and name not in PACKED])
def test_what_is_written(name: str) -> None:
    check("written", name, ("\n".join(rendered(name, matches)) for _, matches in written()))

"""Questions as a deck for Anki (`.apkg`), by the library `genanki` (extra `learn`).

The front is the board and what is asked, the back the candidates. Boards are SVG pictures beside the cards. A note's
GUID depends on what is asked alone, so that a deck that is imported again changes the cards that are there.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sixprime.analysis.model import DecisionKind
from sixprime.errors import SettingsError
from sixprime.learn.questions import Question, Topic
from sixprime.paths import readable, replacing
from sixprime.report import words
from sixprime.report.quiz import asked
from sixprime.report.svg import LIGHT, board_svg

_MODEL = 1_607_392_319
"""Identity of the kind of note; another one where its fields change."""
_YEARS = range(1980, 2108)
"""That the directory of an archive can name."""
_FIELDS = ("Question", "Board", "Answer", "Board after", "Details", "Source", "XGID")
_FRONT = '<div class="board">{{Board}}</div><div class="asked">{{Question}}</div>'
_BACK = (
    '<div class="board">{{Board after}}</div><div class="asked">{{Question}}</div><hr id="answer">'
    '<div class="best">{{Answer}}</div>{{Details}}<div class="source">{{Source}}<br>{{XGID}}</div>'
)
_CSS = """.card{font-family:system-ui,sans-serif;font-size:18px;text-align:center}
.board img{width:100%;max-width:580px}.asked{margin:.5em}.best{font-weight:bold;margin:.5em}
table{margin:.5em auto;border-collapse:collapse;font-size:15px;font-variant-numeric:tabular-nums}
th,td{padding:.15em .5em;text-align:right}th:first-child,td:first-child{text-align:left}
tr.best td{font-weight:bold}.source{font-size:12px;color:#777;margin-top:1em;overflow-wrap:anywhere}"""


def check_writable(now: float) -> None:
    """Raises SettingsError when no deck can be written: better before matches are analysed than after.

    now: seconds since 1970.
    """
    try:
        import genanki  # noqa: F401
    except ImportError:
        raise SettingsError("cards need an extra: pip install 'sixprime[learn]'") from None
    if (year := time.localtime(now).tm_year) not in _YEARS:
        raise SettingsError(
            f"the files in a deck bear the year, {_YEARS[0]} to {_YEARS[-1]}. The clock of this computer says {year}."
        )


def write_cards(questions: Sequence[Question], path: Path, *, name: str, now: float) -> int:
    """Writes a deck, whole or not at all; the number of its cards. Each question is there once.

    name: of the deck in Anki. now: seconds since 1970, by which Anki tells what is newer. Raises SettingsError as
    `check_writable` does and when there are no questions, OSError.
    """
    check_writable(now)
    import genanki

    if not questions:
        raise SettingsError("there is nothing to make cards of")
    once = {question.id: question for question in questions}
    model = genanki.Model(
        _MODEL,
        "Sixprime decision",
        fields=[{"name": field} for field in _FIELDS],
        templates=[{"name": "Decision", "qfmt": _FRONT, "afmt": _BACK}],
        css=_CSS,
    )
    name = readable(name)
    deck = genanki.Deck(_number(name), name)
    with tempfile.TemporaryDirectory(prefix="sixprime-cards-") as folder:
        media = []
        for id, question in once.items():
            pictures = {
                f"sixprime-{id}.svg": _board(question),
                f"sixprime-{id}-answer.svg": _board(question, best=True),
            }
            for picture, drawing in pictures.items():
                Path(folder, picture).write_text(drawing, encoding="utf-8")
                media.append(str(Path(folder, picture)))
            fields = [*_fields(question)]
            for place, picture in zip((1, 3), pictures, strict=True):
                fields[place] = f'<img src="{picture}" alt="{words.xml_text(_asked(question))}">'
            kinds = question.topic, question.missed, question.phase, question.plan
            tags = ["sixprime", *(kind.replace(" ", "-") for kind in kinds if kind)]
            deck.add_note(genanki.Note(model=model, fields=fields, guid=f"sixprime-{id}", tags=tags))
        package = genanki.Package(deck, media_files=media)
        with replacing(path) as partial:
            package.write_to_file(str(partial), timestamp=now)
    return len(once)


def _number(text: str) -> int:
    """An identity that Anki takes, of a text."""
    return (1 << 30) + int(hashlib.sha256(text.encode()).hexdigest()[:7], 16)


def _board(question: Question, *, best: bool = False) -> str:
    """The board as an SVG picture, who decides at the bottom."""
    play = question.plays[0].play if best and question.plays else None
    bottom = question.state.on_roll ^ (question.kind is DecisionKind.TAKE)
    return board_svg(question.position, question.state, dice=question.dice, bottom=bottom, best=play, theme=LIGHT)


def _fields(question: Question) -> tuple[str, ...]:
    """The fields of a note, in the order of `_FIELDS`, pictures left out."""
    best = words.play_text(question.best)
    identity = words.xml_text(_xgid(question))
    source = words.xml_text(words.clean(question.source))
    if question.chosen:
        lost = next((f" ({words.signed(-loss)})" for name, loss in question.choices if name == question.chosen), "")
        source = f"In the game: {words.xml_text(words.play_text(question.chosen))}{lost}<br>{source}"
    details = _plays_table(question) if question.kind is DecisionKind.PLAY else _cube_table(question)
    return words.xml_text(_question(question)), "", words.xml_text(best), "", details, source, identity


def _question(question: Question) -> str:
    if question.topic is Topic.REPLY:
        return f"{_asked(question)} ({question.source})"
    state, mine = question.state, question.state.decider
    if state.length:
        where = f"{state.score[mine]}-{state.score[1 - mine]} to {state.length}"
        where += ", Crawford" if state.crawford else ""
    else:
        where = "money"
    return f"{_asked(question)} ({where})"


def _asked(question: Question) -> str:
    return asked(question, doubler="Your opponent", you="at the bottom")


def _xgid(question: Question) -> str:
    return words.xgid_of(question.position, replace(question.state, dice=question.dice))


def _plays_table(question: Question) -> str:
    rows = [
        [
            words.play_text(str(each.play)),
            words.signed(each.equity),
            words.loss(each.equity_loss),
            *(words.percent(each.probabilities[chance]) for chance in (0, 1, 3)),
        ]
        for each in question.plays
    ]
    return _table(["Play", "Equity", "Diff.", "W", "WG", "LG"], rows, 0)


def _cube_table(question: Question) -> str:
    assert question.cube is not None
    cube = question.cube
    rows = [
        [name, words.signed(equity), words.loss(cube.optimal - equity)] for name, equity, _ in words.cube_rows(cube)
    ]
    return _table(["Cube action", "Equity", "Diff."], rows, words.best_cube_row(cube))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], best: int) -> str:
    lines = ["".join(f"<th>{name}</th>" for name in heads)]
    lines += ["".join(f"<td>{words.xml_text(cell)}</td>" for cell in row) for row in rows]
    kinds = [' class="best"' if number == best else "" for number in range(-1, len(rows))]
    return f"<table>{''.join(f'<tr{kind}>{line}</tr>' for kind, line in zip(kinds, lines, strict=True))}</table>"

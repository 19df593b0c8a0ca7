"""An analysed match that is gone through: decisions looked at closer, comments, files, and the page of the report."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sixprime import formats
from sixprime.analysis.again import judged_again
from sixprime.analysis.kept import with_analysis
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.rollout import in_doubt
from sixprime.engine import PlayRequest
from sixprime.engine.rollout_judge import cube_of, plays_of, ranked
from sixprime.errors import RulesError, SettingsError
from sixprime.formats import FORMATS
from sixprime.game.record import Action, Match
from sixprime.report import words
from sixprime.report.export.forms import FORMS
from sixprime.report.json import play_to_dict
from sixprime.report.movelist import move_lists
from sixprime.web import messages as m
from sixprime.web.judging import SLICE, insisting

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.engine.results import CubeAnalysis, PlayAnalysis
    from sixprime.engine.rollout_result import RolloutResult
    from sixprime.progress import Stop
    from sixprime.web.reports import Report

_WHOLE = {"report": ("Report as a page (HTML)", ".html"), "sixprime": ("Analysis, to be read again", ".sixprime"),
          "json": ("Analysis as JSON", ".json")}  # fmt: skip
_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">\n?')
_HEAD = """<link rel="stylesheet" href="/static/reviewing.css">
<link rel="stylesheet" href="/static/toast.css">
<script type="module" src="/static/reviewing.js"></script>
"""


def analysed_of(report: Report) -> AnalysedMatch:
    """The analysis of a report. Raises RulesError while there is none."""
    if report.analysed is None:
        raise RulesError("The report is not ready yet.")
    return report.analysed


def told(report: Report) -> m.Reviewed:
    """What a page needs to know of a report beyond what it shows."""
    analysed = analysed_of(report)
    found = []
    for rows in move_lists(analysed):
        for cell in (cell for row in rows for cell in row.cells if cell.id):
            for decision in cell.decisions:
                looks = decision.cube is not None or len(decision.plays) > 1
                what: Literal["play", "cube"] = "play" if decision.kind is DecisionKind.PLAY else "cube"
                found.append(
                    m.Judged(
                        cell.id,
                        decision.game,
                        decision.action,
                        decision.kind.value,
                        what,
                        words.xgid(decision),
                        decision.position.chequers,
                        comment=cell.action.comment,
                        looks=looks,
                    )
                )
    return m.Reviewed(words.names(analysed.match), tuple(found), forms_of(analysed.match))


def forms_of(match: Match) -> tuple[m.Form, ...]:
    """The files that a match can be saved as."""
    found = [m.Form(name, title) for name, (title, _) in _WHOLE.items()]
    found += [m.Form(name, form.title) for name, form in FORMATS.items() if form.write is not None]
    return (*found, *(m.Form(f"export-{name}", form.title) for name, form in FORMS.items()))


def commented(analysed: AnalysedMatch, asked: m.CommentAsked) -> AnalysedMatch:
    """The analysis with another comment on an action. Raises SettingsError where there is none."""
    match = analysed.match
    if asked.game >= len(match.games) or asked.action >= len(match.games[asked.game].actions):
        raise SettingsError("There is no such action in the match.")
    game = match.games[asked.game]
    actions: list[Action] = [*game.actions]
    actions[asked.action] = replace(actions[asked.action], comment=asked.text)
    games = (*match.games[: asked.game], replace(game, actions=tuple(actions)), *match.games[asked.game + 1 :])
    return replace(analysed, match=replace(match, games=games))


# Looked at closer


def decision_of(analysed: AnalysedMatch, game: int, action: int, kind: str) -> Decision:
    """Raises SettingsError where nothing was decided."""
    for decision in analysed.decisions:
        if (decision.game, decision.action, decision.kind.value) == (game, action, kind):
            return decision
    raise SettingsError("Nothing was decided there.")


def closer(
    engine: Engine, report: Report, decision: Decision, *, plies: int, trials: int, stop: Stop
) -> Iterator[dict[str, Any]]:
    """The pieces of a closer look at a decision, with what is found put into the report and kept.

    plies: how far to look ahead, without trials. trials: games of a rollout; what was played until a stop counts.
    """
    try:
        yield from _closer(engine, report, decision, plies=plies, trials=trials, stop=stop)
    finally:
        report.keep()


def _closer(
    engine: Engine, report: Report, decision: Decision, *, plies: int, trials: int, stop: Stop
) -> Iterator[dict[str, Any]]:

    def put(answer: Sequence[PlayAnalysis] | CubeAnalysis) -> None:
        place = decision.game, decision.action, decision.kind
        report.change(lambda analysed: judged_again(analysed, place, answer, engine.met), soon=True)

    state, cube = decision.state.before_roll(), decision.cube
    how: dict[str, Any] = {"match": state, "trials": min(SLICE, trials), "stop": stop}
    answer_of: Callable[[RolloutResult], Any]
    piece: Callable[[Any, str, int, int], dict[str, Any]]
    if decision.kind is not DecisionKind.PLAY:
        assert cube is not None
        if not trials:
            # As an analysis does, so that a closer look never takes a ply away.
            found = engine.cube_action(decision.position, match=state, plies=plies, deepen=True, stop=stop)
            put(found)
            yield _cube_piece(found, f"{found.plies}-ply", 1, 1)
            return
        result = engine.rollout_cube(decision.position, **how)
        answer_of, piece = partial(cube_of, before=cube), _cube_piece
    else:
        assert decision.dice is not None
        if not trials:
            played = None if decision.played is None else decision.plays[decision.played].play
            request = PlayRequest(decision.position, decision.dice, state, played)
            filter = insisting(engine.filter)
            (plays,) = engine.rank_plays_many([request], plies=plies, filter=filter, stop=stop)
            put(plays)
            yield _plays_piece(plays, f"{plies}-ply", 1, 1)
            return
        chosen = [decision.plays[i] for i in in_doubt(decision.plays, decision.played or 0)]
        result = engine.rollout_plays(decision.position, decision.dice, [each.play for each in chosen], **how)
        answer_of, piece = (lambda result: ranked(plays_of(result, chosen), decision.plays)), _plays_piece
    while True:
        answer = answer_of(result)
        put(answer)
        yield piece(answer, "", result.trials, trials)
        if result.trials >= trials or stop.is_set():
            return
        result = engine.extend_rollout(result, trials=min(trials, result.trials + SLICE), stop=stop)


def _plays_piece(plays: Any, how: str, done: int, wanted: int) -> dict[str, Any]:
    listed = [play_to_dict(play) for play in plays[:6]]
    return {"id": str(done), "kind": "plays", "how": how, "done": done, "wanted": wanted, "plays": listed}


def _cube_piece(cube: Any, how: str, done: int, wanted: int) -> dict[str, Any]:
    errors = (cube.no_double_error, cube.double_take_error, None, None)
    rows = [[name, equity, error] for (name, equity, _), error in zip(words.cube_rows(cube), errors, strict=False)]
    best = words.best_cube_row(cube)
    return {"id": str(done), "kind": "cube", "how": how, "done": done, "wanted": wanted, "rows": rows, "best": best}


# Files


def file_of(analysed: AnalysedMatch, form: str, language: str = "en") -> tuple[str, bytes]:
    """Name and content of a match saved in a form, the report in a language; of several files an archive.

    Raises SettingsError for a form that is none, InvalidFileError for what it cannot hold.
    """
    name = name_of(analysed.match)
    match form:
        case "report":
            from sixprime.report import render_html

            return f"{name}.html", render_html(analysed, language=language).encode()
        case "sixprime":
            from sixprime import codec

            return f"{name}.sixprime", codec.to_json(analysed)
        case "json":
            import json

            from sixprime.report.json import to_dict

            return f"{name}.json", json.dumps(to_dict(analysed), allow_nan=False, ensure_ascii=False, indent=1).encode()
    if form.startswith("export-") and form[7:] in FORMS:
        from sixprime.report import export

        known = FORMS[form[7:]]
        rendered = export.render(analysed, known.name, f"{name}{known.suffixes[0]}")
        files = [(place, _bytes(content)) for place, content in rendered]
        return _one(name, files)
    return match_file(with_analysis(analysed), form, name)


def name_of(match: Match) -> str:
    """Of the files of a match, without a suffix."""
    return re.sub(r"[^\w.-]+", "_", " - ".join(words.names(match)))[:60].strip("_.") or "match"


def file_told(match: Match, form: str) -> m.FileTold:
    """A match as a file of a format, with what that cannot hold. Raises as `match_file`."""
    name, content = match_file(match, form, name_of(match))
    lost, *_ = formats.losses([match], formats.format_for(form), [content])
    return m.FileTold(name, content, tuple(lost))


def match_file(match: Match, form: str, name: str) -> tuple[str, bytes]:
    """Name and content of a match in a format; of several files an archive. Raises as `formats.render`."""
    format = formats.format_for(form)
    contents = formats.render([match], format)
    places = formats.places_for(Path(f"{name}{format.suffixes[0]}"), len(contents))
    return _one(name, [(place.name, _bytes(content)) for place, content in zip(places, contents, strict=True)])


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _one(name: str, files: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    if len(files) == 1:
        return files[0]
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in files:
            archive.writestr(zipfile.ZipInfo(place, (2000, 1, 1, 0, 0, 0)), content)
    return f"{name}.zip", packed.getvalue()


# The page


def live(page: str) -> tuple[str, str]:
    """The page of a report as this server gives it out, where its decisions can be looked at closer, and its policy."""
    found = _META.search(page)
    assert found is not None
    policy = found[1]
    for kind in ("script-src", "style-src", "img-src"):
        policy = policy.replace(f"{kind} ", f"{kind} 'self' ")
    text = page.replace(found[0], "", 1).replace("</head>", f"{_HEAD}</head>", 1)
    return text, f"{policy}; connect-src 'self'; frame-ancestors 'none'"

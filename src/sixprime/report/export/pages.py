"""What an export says, before any format: an analysed match as pages, turns, tables and texts.

All options that choose what is shown are applied here; templates lay out what is left. Numbers are texts already,
written as GNU Backgammon writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixprime.analysis.foreign import sources
from sixprime.analysis.labels import cubeless
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.statistics import NOISE
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.numbering import action_at, game_at
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, ForeignAnalysis, Game, Method
from sixprime.game.state import SIZES, MatchState
from sixprime.report import rolled, words
from sixprime.report.export.options import ExportOptions
from sixprime.report.export.statistics import Statistics, game_statistics, match_statistics
from sixprime.report.figures import Figures, Stakes

_ANSWERS = (ActionKind.TAKE, ActionKind.DROP, ActionKind.BEAVER)
_LISTED = 10
"""Plays that are shown of a turn alone, or more where more are set."""


@dataclass(frozen=True, slots=True)
class Board:
    """What is on the board. state: whose view it is (`on_roll`), score, cube, dice; ids as texts, empty for none."""

    position: Position
    state: MatchState
    position_id: str
    match_id: str
    xgid: str

    @property
    def pips(self) -> tuple[int, int]:
        """Of player 0 and of player 1."""
        mine, theirs = self.position.pips
        return (theirs, mine) if self.state.on_roll else (mine, theirs)


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A candidate. method: "Cubeful 2-ply" or "Rollout", depth the same in a word; loss: empty for the best one.

    errors: standard errors of the chances, empty where there are none. unit: of equity and loss, "Eq." or "MWC".
    """

    rank: int
    played: bool
    method: str
    depth: str
    text: str
    equity: str
    loss: str
    chances: str
    parameters: tuple[str, ...]
    play: Play
    unit: str = "Eq."
    errors: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Chances, errors and parameters, as far as they are shown."""
        return (*filter(None, (self.chances, self.errors)), *self.parameters)


@dataclass(frozen=True, slots=True)
class CubeTable:
    """A cube decision seen by whoever decides. rows: cube action, equity and difference to the best, best first.

    alert: what was wrong, empty for nothing; mark: how bad. money: the cubeless equity as money, empty in money play.
    unit: of the rows and the cubeless value, "equity" or "MWC". details: of a rollout.
    """

    method: str
    cubeless: str
    money: str
    chances: str
    rows: tuple[tuple[str, str, str], ...]
    action: str
    parameters: tuple[str, ...]
    alert: str
    mark: str
    unit: str = "equity"
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that a player did, or has to decide.

    number: counts from 1 within the game, None where GNU Backgammon counts nothing. heading: what is to do; text: what
    was done; board: None where it is not drawn; dice: empty without; luck: of the roll, empty where unknown;
    alerts: about play and roll, each with whether it is the roll; plays: None where no list is shown, empty for a
    dance. unjudged: stands where an analysis would, had the turn been analysed.
    sign: such as "?!" of what was done. decisions: what all that was made of.
    """

    number: int | None
    player: int
    kind: ActionKind
    heading: str = ""
    text: str = ""
    sign: str = ""
    board: Board | None = None
    dice: str = ""
    luck: str = ""
    cube: CubeTable | None = None
    alerts: tuple[tuple[str, bool], ...] = ()
    plays: tuple[PlayRow, ...] | None = None
    unjudged: str = ""
    comment: str = ""
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One game, or one position of it.

    title: the score before the game; info: rows of label and text; result: who won, empty while nobody has; score
    after the game. number: of the game; index, count: which page of how many, from 1. links: names and files of
    other pages (`linked`).
    """

    number: int
    index: int
    count: int
    title: str
    length: str
    names: tuple[str, str]
    score: tuple[int, int]
    info: tuple[tuple[str, str], ...]
    comment: str
    turns: tuple[Turn, ...]
    result: str
    statistics: tuple[Statistics, ...]
    single: bool
    links: tuple[tuple[str, str], ...] = ()


def pages(
    analysed: AnalysedMatch,
    options: ExportOptions,
    *,
    game: int | None = None,
    move: int | None = None,
    player: int | None = None,
) -> list[Page]:
    """A page for each game.

    game: only the one of this number. move, player: only this turn, as `numbering.action_at` finds it; the page itself
    numbers every turn of a game. Raises SettingsError when there is no such game or move.
    """
    match = analysed.match
    alone, only = (None, None) if move is None else action_at(match, game, move, player)
    if alone is None and (game is not None or not match.games):
        alone = game_at(match, game)
    chosen = range(len(match.games)) if alone is None else (alone,)
    made = [_Game(analysed, index, options) for index in chosen]
    return [
        each.page(place, len(made), only, last=alone is None and place == len(made))
        for place, each in enumerate(made, 1)
    ]


def turn_of(analysed: AnalysedMatch, options: ExportOptions, game: int, action: int) -> Turn:
    """One action of a match, both numbered from 0, with all that is known of it, marked or not; of a cube decision what
    the options let exports say."""
    everything: dict[str, Any] = dict.fromkeys(("moves_unmarked", "moves_doubtful", "moves_bad", "moves_verybad"), True)
    everything |= dict.fromkeys(("moves_probabilities", "moves_evaluation", "moves_rollout"), True)
    everything["moves_number"] = max(_LISTED, options.moves_number)
    everything |= dict.fromkeys(("cube_unmarked", "cube_doubtful", "cube_bad", "cube_verybad"), True)
    made = _Game(analysed, game, replace(options, player="both", analysis=True, annotations=True, **everything))
    return made.turn(action, made.game.actions[action], 1, every=True)


class _Game:
    """One game on its way to a page."""

    def __init__(self, analysed: AnalysedMatch, index: int, options: ExportOptions) -> None:
        self.analysed, self.index, self.options = analysed, index, options
        self.in_mwc = options.output_mwc and analysed.match.length > 0
        self.figures = Figures(options.output_digits, self.in_mwc, options.output_matchpc, options.output_winpc)
        self.game: Game = analysed.match.games[index]
        self.names = words.names(analysed.match)
        self.programs = sources(analysed.match)
        judged = analysed.games[index].decisions if index < len(analysed.games) else ()
        self.decisions: dict[int, list[Decision]] = {}
        for decision in judged:
            self.decisions.setdefault(decision.action, []).append(decision)

    def page(self, place: int, count: int, only: int | None, *, last: bool) -> Page:
        """only: the index of the one action that is shown. last: the statistics of the match belong to it."""
        alone = only is not None or self.analysed.match.only_position is not None
        match = self.analysed.match
        result = "" if alone or self.game.winner is None else words.game_outcome(match, self.game)
        return Page(
            number=self.game.number,
            index=place,
            count=count,
            title=self.title(),
            length=words.length_text(match),
            names=self.names,
            score=self.game.score,
            info=self.info() if self.options.matchinfo else (),
            comment=self.game.comment if self.options.annotations and not alone else "",
            turns=tuple(self.turns(only)),
            result=result,
            statistics=() if alone else tuple(self.statistics(last=last)),
            single=alone,
        )

    def title(self) -> str:
        match, game = self.analysed.match, self.game
        before = sum(each.number < game.number for each in match.games)
        text = (
            f"The score (after {words.count(before, 'game')}) is: {self.names[0]} {game.score[0]}, "
            f"{self.names[1]} {game.score[1]}"
        )
        if match.length:
            text += f" (match to {words.count(match.length, 'point')}{', Crawford game' if game.crawford else ''})"
        return text

    def info(self) -> tuple[tuple[str, str], ...]:
        match = self.analysed.match
        rows = [
            (f"{name}'s rating", player.standing)
            for name, player in zip(self.names, match.players, strict=True)
            if player.standing
        ]
        labels = ("Date", "Event", "Round", "Place", "Annotator", "Comments")
        keys = ("date", "event", "round", "place", "annotator", "comment")
        rows += [(label, match.info[key]) for label, key in zip(labels, keys, strict=True) if match.info.get(key)]
        return tuple(rows)

    def statistics(self, *, last: bool) -> Iterator[Statistics]:
        """Of the game and, at the end of all, of the match."""
        if not self.options.statistics or self.index >= len(self.analysed.games):
            return
        yield game_statistics(self.analysed, self.index, self.options)
        if last:
            yield match_statistics(self.analysed, self.options)

    def turns(self, only: int | None) -> Iterator[Turn]:
        """only: the index of the one action that is shown, and its board with it."""
        number = done = 0
        position = self.analysed.match.only_position
        for place, action in enumerate(self.game.actions):
            turn = action.kind in _COUNTED or action is position
            number += turn
            done += action.kind is not ActionKind.SET
            if only is not None:
                if place == only:
                    # A position in which nothing has been done yet counts a resignation before it, too.
                    yield self.turn(place, action, number if turn else done + 1, every=True)
            elif turn:
                yield self.turn(place, action, number, every=action is position)
            elif action.kind is ActionKind.RESIGN:
                yield self.resignation(action)

    def resignation(self, action: Action) -> Turn:
        text = f"{self.names[action.player]} {words.action_text(action).lower()}"
        return Turn(None, action.player, action.kind, text=text, comment=self.comment(action))

    def comment(self, action: Action) -> str:
        wanted = self.options.annotations and self.options.shows(action.player)
        return action.comment if wanted else ""

    def turn(self, place: int, action: Action, number: int, *, every: bool) -> Turn:
        options = self.options
        shown = options.shows(action.player)
        found = self.decisions.get(place, [])
        play = next((each for each in found if each.kind is DecisionKind.PLAY), None)
        cube = next((each for each in found if each.kind is not DecisionKind.PLAY), None)
        analysis = shown and options.analysis
        drawn = every or (options.board > 0 and (number - 1) % options.board == 0)
        listed = analysis and play is not None and self.lists(play)
        plays = self.plays(play, action) if listed and play is not None else None
        bare = analysis and plays is None and (listed or (play is None and options.moves_unmarked))
        return Turn(
            number=number,
            player=action.player,
            heading=self.heading(action),
            text=self.done(action),
            sign="".join(words.SKILL_SIGNS[each.skill] for each in (play or cube,) if each is not None and analysis),
            kind=action.kind,
            board=board_of(action.position, action.state) if shown and drawn else None,
            dice=words.dice_text(_dice(action)),
            luck=""
            if play is None or play.luck is None or not listed
            else self.figures.change(play.luck, play.luck_mwc),
            cube=self.cube_table(cube, action) if analysis and cube is not None and self.shows(cube, action) else None,
            alerts=tuple(self.alerts(play)) if listed and play is not None else (),
            plays=plays,
            unjudged=_unjudged(action) if bare else "",
            comment=self.comment(action),
            decisions=tuple(found),
        )

    def heading(self, action: Action) -> str:
        name = self.names[action.player]
        if action.state.resigned:
            return f"{self.names[action.state.on_roll]} resigns a {SIZES[action.state.resigned]}"
        if action.kind in _ANSWERS:
            return f"{self.names[1 - action.player]} doubles to {action.state.cube << (1 + action.state.beavered)}"
        before = action.kind is ActionKind.MOVE and action.state.dice is None  # a play seen before its roll
        if (dice := _dice(action)) is not None and not before:
            return f"{name} to play {words.dice_text(dice)}"
        return f"{name} on roll, cube decision?"

    def done(self, action: Action) -> str:
        match action.kind:
            case ActionKind.MOVE:
                text = str(action.play) if action.play is not None else ""
                what = f"moves {text}" if text else "cannot move"
                what += " (illegal)" if action.illegal else ""
            case ActionKind.ROLL:
                what = f"rolls {words.dice_text(action.dice)}"
            case ActionKind.DOUBLE:
                what = "doubles"
            case ActionKind.TAKE:
                what = "accepts"
            case ActionKind.DROP:
                what = "rejects"
            case ActionKind.BEAVER:
                what = "raccoons" if action.state.beavered else "beavers"
            case _:
                return ""
        return f"{self.names[action.player]} {what}"

    def lists(self, decision: Decision) -> bool:
        """Whether the plays of a decision are listed."""
        options = self.options
        marks = options.moves_unmarked, options.moves_doubtful, options.moves_bad, options.moves_verybad
        return marks[decision.skill]

    def shows(self, decision: Decision, action: Action) -> bool:
        """Whether the analysis of a cube decision is written."""
        options = self.options
        if decision.cube is None:
            return False
        actual = action.kind in (*_ANSWERS, ActionKind.DOUBLE)
        marks = options.cube_unmarked, options.cube_doubtful, options.cube_bad, options.cube_verybad
        return (
            marks[decision.skill]
            or (options.cube_actual and actual)
            or (options.cube_missed and not actual and decision.error > NOISE)
            or (options.cube_close and decision.counted and not actual)
        )

    def alerts(self, decision: Decision) -> Iterator[tuple[str, bool]]:
        if decision.skill is not Skill.NONE:
            yield f"{words.SKILL_NAMES[decision.skill]} move ({self.lost(decision):>7})", False
        if decision.luck is not None and decision.luck_mark is not Luck.NONE:
            change = self.figures.change(decision.luck, decision.luck_mwc)
            yield f"{words.LUCK_NAMES[decision.luck_mark]} roll! ({change:>7})", True

    def lost(self, decision: Decision) -> str:
        return self.figures.change(-decision.error, -decision.error_mwc)

    def plays(self, decision: Decision, action: Action) -> tuple[PlayRow, ...] | None:
        """The plays that were judged; empty where none could be made, None where nothing was judged."""
        if not decision.plays and (decision.chosen or action.kind is ActionKind.ROLL):
            return None
        rows = []
        stakes = Stakes.through((each.cubeful_equity, each.mwc) for each in decision.plays)
        for place, play in enumerate(decision.plays):
            if place < self.options.moves_number or place == decision.played:
                rows.append(self.play_row(play, place, place == decision.played, stakes, action))
        return () if len(rows) == 1 and not rows[0].text else tuple(rows)

    def play_row(self, play: PlayAnalysis, place: int, played: bool, stakes: Stakes | None, action: Action) -> PlayRow:
        options, figures = self.options, self.figures
        chances, errors = (
            rolled.of_play(play, figures, stakes) if play.trials else (figures.chances(play.probabilities), "")
        )
        shown = options.moves_rollout if play.trials else options.moves_evaluation
        kind = "Cubeful" if self.method(play, action).cubeful else "Cubeless"
        return PlayRow(
            rank=place + 1,
            played=played,
            method="Rollout" if play.trials else f"{kind} {play.plies}-ply",
            depth=words.depth_mark(play),
            text=str(play.play),
            equity=figures.either(play.cubeful_equity, play.mwc),
            loss=figures.difference(-play.equity_loss, stakes) if place else "",
            chances=chances if options.moves_probabilities else "",
            parameters=tuple(self.parameters(play, action)) if shown else (),
            play=play.play,
            unit="MWC" if self.in_mwc else "Eq.",
            errors=errors if options.moves_probabilities else "",
        )

    def parameters(self, judged: PlayAnalysis | CubeAnalysis, action: Action) -> list[str]:
        """How something was judged."""
        if judged.trials:
            return rolled.made(judged)
        method = self.method(judged, action)
        said = self.said
        if said in self.programs and (analysis := self.analysis(action)) is not None:
            said = analysis.source
        noise = words.noise(method.noise, deterministic=method.deterministic)
        text = f"{judged.plies}-ply {'cubeful' if method.cubeful else 'cubeless'}{noise}"
        return [f"{text} [{said}]" if said else text]

    @property
    def said(self) -> str:
        """The settings of the analysis, or the program that made it."""
        return self.analysed.label or self.analysed.settings.partition(";")[0]

    def analysis(self, action: Action) -> ForeignAnalysis | None:
        """The program's analysis of an action, or another one's where that program has none."""
        return min(action.analyses, key=lambda each: each.source != self.said, default=None)

    def method(self, judged: PlayAnalysis | CubeAnalysis, action: Action) -> Method:
        """How something was judged, as far as it is not in the settings that are told."""
        plain = Method("", cubeful=isinstance(judged, CubeAnalysis) or not cubeless(self.analysed.label))
        analysis = self.analysis(action) if self.said in self.programs else None
        if analysis is None:
            return plain
        if isinstance(judged, CubeAnalysis):
            return plain if analysis.cube is None else analysis.cube.method
        return next((each.method for each in analysis.plays if each.play == judged.play), plain)

    def cube_table(self, decision: Decision, action: Action) -> CubeTable:
        cube = decision.cube
        assert cube is not None
        options, figures = self.options, self.figures
        answers = decision.player != cube.state.on_roll
        side = -1 if answers else 1
        beavers = action.state.beavered
        turned_back = [(name, value / (1 << beavers)) for name, value in words.answers(cube, beavers)]
        rows = turned_back or cube_rows(cube)
        chances = cube.probabilities.swapped() if answers else cube.probabilities
        in_match = cube.state.length > 0
        money = cube.probabilities.cubeless
        value = rolled.cubeless_equity(cube, self.analysed.table)
        stakes = Stakes.through(
            (
                (cube.no_double, cube.mwc_no_double),
                (cube.double_take, cube.mwc_double_take),
                (cube.double_pass, cube.mwc_double_pass),
            )
        )
        stakes = stakes.opposite if stakes is not None and answers else stakes
        best = turned_back[0][0] if turned_back else cube.action
        share = "" if turned_back or cube.wrong_share is None else f" ({words.percent(cube.wrong_share)}%)"
        wrong = _wrong(action) if decision.error > NOISE else ""
        shown = options.cube_rollout if cube.trials else options.cube_evaluation
        parameters = tuple(self.parameters(cube, action)) if shown else ()
        details: list[str] = []
        if cube.trials and options.cube_probabilities:
            details = rolled.of_cube(cube, figures, stakes, self.analysed.table, answering=answers)
        return CubeTable(
            method="Rollout" if cube.trials else f"{cube.plies}-ply",
            cubeless=figures.value(side * value, stakes),
            money=figures.equity(side * money) if in_match else "",
            chances=figures.chances(chances) if options.cube_probabilities and not details else "",
            rows=tuple(
                (
                    name,
                    figures.value(side * equity, stakes),
                    figures.difference(side * (equity - rows[0][1]), stakes) if place else "",
                )
                for place, (name, equity) in enumerate(rows)
            ),
            action=f"{best}{share}",
            parameters=() if cube.trials else parameters,
            alert=f"{wrong} ({self.lost(decision)})!" if wrong else "",
            mark=words.SKILL_NAMES[decision.skill],
            unit="MWC" if self.in_mwc else "equity",
            details=(*details, *parameters) if cube.trials else (),
        )


_COUNTED = (ActionKind.MOVE, ActionKind.ROLL, ActionKind.DOUBLE, *_ANSWERS)


def _dice(action: Action) -> tuple[int, int] | None:
    """The roll of an action, or of a position that was set."""
    return action.state.dice if action.kind is ActionKind.SET else action.dice


def _unjudged(action: Action) -> str:
    """What a player did with a roll; nothing where that is not known."""
    return "" if action.play is None else str(action.play) or "Cannot move"


def _wrong(action: Action) -> str:
    """What to call a wrong cube action."""
    names = {
        ActionKind.DOUBLE: "wrong double",
        ActionKind.TAKE: "wrong take",
        ActionKind.BEAVER: "wrong raccoon" if action.state.beavered else "wrong beaver",
        ActionKind.DROP: "wrong pass",
    }
    return names.get(action.kind, "missed double")


def cube_rows(cube: CubeAnalysis) -> list[tuple[str, float]]:
    """Name and equity for the doubler of each cube action: first what is best, the others from high to low."""
    rows = [
        ("No double", cube.no_double),
        ("Double, pass", cube.double_pass),
        ("Double, take", cube.double_take),
    ]
    doubles = cube.should_double and not cube.action.startswith("Optional")
    best = 0 if not doubles else 2 if cube.should_take else 1
    return [rows.pop(best), *sorted(rows, key=lambda row: -row[1])]


def board_of(position: Position, state: MatchState) -> Board:
    """A board with its IDs; those that cannot be are empty."""
    ids = words.position_id(position), words.match_id(state) or "", words.xgid_of(position, state)
    return Board(position, state, *ids)


def linked(page: Page, files: Sequence[str]) -> Page:
    """The page with links to the first, previous, next and last one. files: names of all pages, as they are linked."""
    place = page.index - 1
    wanted = (
        ("First Game", 0 if place or len(files) > 1 else None),
        ("Previous Game", place - 1 if place else None),
        ("Next Game", place + 1 if place + 1 < len(files) else None),
        ("Last Game", len(files) - 1 if len(files) > 1 else None),
    )
    return replace(page, links=tuple((name, files[to]) for name, to in wanted if to is not None))

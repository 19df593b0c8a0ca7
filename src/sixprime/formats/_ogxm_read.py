"""Documents of the codec `ogxm` as matches."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from sixprime.errors import InvalidFileError
from sixprime.formats._odd_plays import can_move
from sixprime.formats._ogxm_analysis import Analyst, blocks_of
from sixprime.formats._ogxm_document import (
    BEAVER,
    CUBE_SET,
    DOCUMENT,
    DOUBLE,
    DROP,
    ENDS,
    LAST_ROLL,
    PASSED,
    PLY,
    RACCOON,
    RESIGNED,
    RESIGNS,
    SEATS,
    SET,
    TAKE,
    VARIANTS,
    items,
    position_of,
    remark,
    text_of,
    version_of,
    whole,
    words,
)
from sixprime.formats._problems import Problems
from sixprime.formats._recorder import GameRecorder
from sixprime.formats._replay import MatchReplay
from sixprime.formats._text import plain
from sixprime.game.match_rules import LONGEST_MATCH, Rules, is_cube
from sixprime.game.position import Position
from sixprime.game.record import MAKING, ActionKind, Match, Player, with_made_by

NAME = "ogxm"

STAMPS = range(1, 1 << 33)
"""Seconds since 1970 that say when a match was played."""


def match_of(document: dict[str, Any], name: str = "") -> Match:
    """The match of a document of the codec. Raises InvalidFileError when it holds no game."""
    return _Reader(document, name).match()


class _Reader:
    def __init__(self, document: dict[str, Any], name: str) -> None:
        self._document, self._name, self._version = document, name, version_of(document)
        self._report = Problems(name)
        self._analyst = Analyst(document, self._version)
        self._notes: dict[tuple[str, int], list[str]] = {}
        for note in items(document, "annotations"):
            if remark(note):
                self._notes.setdefault((note["scope"], whole(note.get("ref"))), []).append(plain(note["value"]))
        self._plies = 0  # of all games so far, as the notes count them
        self._clock = 0

    def match(self) -> Match:
        document = self._document
        games = items(document, "games")
        if not games:
            raise InvalidFileError("no games in the file", path=self._name or None)
        if str(document.get("variant")) not in VARIANTS:
            self._report(f"the variant {document.get('variant')!r} is not known; read as backgammon"[:200])
        players = self._player("black"), self._player("white")
        replay = MatchReplay(self._rules(), (players[0].name, players[1].name), self._report)
        if self._version > 1:
            replay.score = whole(document.get("black_score_start")), whole(document.get("white_score_start"))
        for number, game in enumerate(games):
            if replay.rules.over(replay.score):
                self._report(f"game {number + 1} is left out: the match was over")
                break
            self._game(replay, game, number)
        match = replay.match(
            players,
            info=self._info(),
            problems=tuple(self._report),
            source=self._name,
            format=NAME,
            extras=((DOCUMENT, json.dumps(document, separators=(",", ":"), sort_keys=True)),),
        )
        builds = [str(block.get("engine_build")) for block in blocks_of(document)]
        if len(builds) == 1 and MAKING.fullmatch(builds[0]):
            return replace(match, games=with_made_by(match.games, builds[0], len(match.games)))
        return match

    def _rules(self) -> Rules:
        document, length = self._document, whole(self._document.get("match_length"))
        if length > LONGEST_MATCH:
            self._report(f"a match to {length} points; read as a money session")
            length = 0
        limit = whole(document.get("cube_limit"))
        return Rules(
            length,
            VARIANTS.get(str(document.get("variant")), "standard"),
            document.get("crawford") is not False,
            document.get("jacoby") is True,
            0 if document.get("beavers") is not True else 3 if document.get("raccoons") is True else 1,
            cube_limit=limit if is_cube(limit) else 1024,
        )

    def _player(self, colour: str) -> Player:
        profile = self._document.get(f"{colour}_profile")
        rating = profile.get("rating") if isinstance(profile, dict) else None
        if not isinstance(rating, (int, float)) or abs(rating) > 1e6:
            rating = None
        return Player(words(self._document.get(f"player_{colour}")), rating)

    def _info(self) -> dict[str, str]:
        document = self._document
        stamp = whole(document.get("timestamp"))
        moment = datetime.fromtimestamp(stamp, UTC) if stamp in STAMPS else None
        exact = moment is not None and document.get("date_precision") is None
        texts = {key: words(document.get(key)) for key in ("event", "event_year", "stage", "round", "city", "country")}
        found = {
            "event": f"{texts['event']} {texts['event_year']}".strip(),
            "round": f"{texts['stage']} {texts['round']}".strip(),
            "place": ", ".join(filter(None, (texts["city"], texts["country"]))) or words(document.get("site")),
            "date": f"{moment:%Y-%m-%d}" if moment is not None else "",
            "time": f"{moment:%H:%M}" if moment is not None and exact else "",
            "comment": self._note("match", 0),
        }
        return {key: text for key, text in found.items() if text}

    def _note(self, scope: str, ref: int) -> str:
        return "\n".join(self._notes.get((scope, ref), ()))

    def _board(self, board: object) -> Position | None:
        return position_of(board, self._document.get("variant"))

    def _game(self, replay: MatchReplay, game: dict[str, Any], number: int) -> None:
        cube = max(whole(game.get("initial_cube_value")), 1) << min(whole(game.get("auto_doubles")), 15)
        if not is_cube(cube):
            self._report(f"game {number + 1} starts with the cube on {cube}; read as 1")
            cube = 1
        owner, board = SEATS.get(str(game.get("initial_cube_owner"))), self._board(game.get("initial_board"))
        after_crawford = self._document.get("crawford_played_before_start") is True and not number
        crawford = False if after_crawford else None
        recorder = replay.begin(number + 1, replay.score, crawford=crawford, cube=cube if owner is None else 1)
        if board is not None or owner is not None:
            recorder.set_board(board or Position.start(replay.rules.variant), cube, owner)
        resigned: tuple[str, int] | None = None
        of_set = ""  # said of a position that is recorded with the first action after it
        plies = items(game, "plies")
        for index, (ply, later) in enumerate(zip_longest(plies, plies[1:])):
            extras = ((PLY, f"{number}.{index}"),)
            if ply.get("action_id") in RESIGNS:
                resigned = f"{number}.{index}", self._plies + index
            before = recorder.recorded
            self._act(recorder, ply, later)
            seconds = self._seconds(ply)
            note = self._note("ply", self._plies + index)
            if recorder.recorded == before:
                of_set = "\n".join(filter(None, (of_set, note))) if ply.get("action_id") in (SET, CUBE_SET) else of_set
            else:
                action = recorder.last
                if of_set and recorder.recorded > before + 1:
                    recorder.annotate(before, comment=of_set)
                    of_set = ""
                recorder.annotate(
                    seconds=seconds,
                    comment=note,
                    analyses=self._analyst.analyses(ply, action),
                    extras=extras,
                )
        winner, won = game.get("winner"), whole(game.get("points_won"))
        if winner in (0, 1):
            recorder.wins(1 - int(winner), won or None)
        before = recorder.recorded
        done = recorder.finish(None)
        if of_set and len(done.actions) > before and done.actions[before].kind is ActionKind.SET:
            alone = replace(done.actions[before], comment=of_set)
            done = replace(done, actions=(*done.actions[:before], alone, *done.actions[before + 1 :]))
        if resigned is not None and done.resigned:
            last = replace(done.actions[-1], extras=((PLY, resigned[0]),), comment=self._note("ply", resigned[1]))
            done = replace(done, actions=(*done.actions[:-1], last))
        self._plies += len(plies)
        replay.add(recorder, replace(done, comment=self._note("game", number)))

    def _seconds(self, ply: dict[str, Any]) -> float | None:
        """How long a ply took: the clock counts on through the match."""
        now = ply.get("timestamp_ms")
        if not isinstance(now, int) or isinstance(now, bool):
            return None
        taken, self._clock = max(now - self._clock, 0) / 1000, now
        return taken

    def _act(self, recorder: GameRecorder, ply: dict[str, Any], later: dict[str, Any] | None) -> None:
        kind, colour = ply.get("action_id"), ply.get("color")
        dice = whole(ply.get("d1")), whole(ply.get("d2"))
        rolled = all(1 <= die <= 6 for die in dice)
        if kind in ENDS or kind in RESIGNS:
            # The loser of a game that was given up is known from its winner.
            if kind in RESIGNS and colour in (0, 1):
                recorder.resigns(int(colour), None, level=RESIGNED.get(str(ply.get("resign_value")), 0))
        elif not isinstance(kind, int) or colour not in (0, 1):
            self._report(f"a ply of unknown kind {kind!r} is left out"[:100])
        elif 0 <= kind <= LAST_ROLL and rolled:
            steps = ply.get("moves")
            if steps:
                text = text_of(steps, int(colour))
                if text is None:
                    recorder.lose_track("the steps of a play cannot be read")
                else:
                    recorder.move(int(colour), dice, text)
            elif (ply.get("unplayed_roll") is True or _breaks_off(later)) and can_move(recorder.position, dice):
                recorder.hidden(int(colour), dice)
            else:
                recorder.no_move(int(colour), dice)
        elif kind == DOUBLE:
            recorder.double(int(colour))
        elif kind == TAKE:
            recorder.take(int(colour))
        elif kind == DROP:
            recorder.drop(int(colour))
        elif kind in (BEAVER, RACCOON):
            recorder.beaver(int(colour))
        elif kind == SET:
            self._set(recorder, ply, int(colour), dice if rolled else None)
        elif kind == CUBE_SET:
            if recorder.recorded and recorder.last.kind is ActionKind.BEAVER:
                recorder.take(1 - recorder.last.player)
            cube = max(whole(ply.get("cube_value")), 1), SEATS.get(str(ply.get("cube_owner")))
            if cube != recorder.cube:
                recorder.set_cube(*cube)
        else:
            recorder.lose_track("a turn whose roll is not in the file" if kind == PASSED else f"a ply of kind {kind}")

    def _set(self, recorder: GameRecorder, ply: dict[str, Any], colour: int, dice: tuple[int, int] | None) -> None:
        board = self._board(ply.get("set_position"))
        if board is None:
            recorder.lose_track("the position that was set has no board")
        elif dice is not None:
            # An illegal play; its ply belongs to the player who is to move after it.
            recorder.moved_to(1 - colour, dice, board if colour == 0 else board.swapped())
        else:
            recorder.set_board(board, *recorder.cube, player=colour)


def _breaks_off(later: dict[str, Any] | None) -> bool:
    """Whether nothing follows that starts from the board as it was: a roll before it was played, nobody knows how."""
    return later is None or later.get("action_id") in ENDS or (later.get("action_id") == SET and not later.get("d1"))

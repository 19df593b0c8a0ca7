"""Matches as documents of the codec `ogxm`, and those as bytes.

A match that was read from a document and not changed is written as it was, byte by byte, with its signatures. Of a
changed one, all that is as it was is taken over from the document, ply by ply; signatures stay while what they sign
does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest
from types import ModuleType
from typing import Any

from sixprime.errors import InvalidFileError
from sixprime.formats._format import Feature, moment_lost, moment_of
from sixprime.formats._ogxm_analysis import Analyst, block_of, blocks_of, cube_said, currency_of, said_by, said_of
from sixprime.formats._ogxm_document import (
    BEAVER,
    CUBE_SET,
    DOUBLE,
    DROP,
    ENDS,
    PLY,
    RACCOON,
    RESIGNED,
    RESIGNS,
    SEATS,
    SET,
    TAKE,
    VARIANTS,
    board_of,
    codec,
    items,
    kept,
    remark,
    steps_of,
    version_of,
)
from sixprime.formats._ogxm_read import STAMPS, match_of
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, ForeignAnalysis, Game, Match, made_by
from sixprime.game.variants import get_variant

_FACTORS = {value: word for word, value in RESIGNED.items()}
_OWNERS = {player: seat for seat, player in SEATS.items()}
_VARIANTS = {ours: theirs for theirs, ours in VARIANTS.items()}
UNORDERED = "order of the two dice"
_SCOPES = ("match", "game", "ply", "decision", "alternative")
_SPAN = tuple(datetime.fromtimestamp(stamp, UTC).replace(tzinfo=None) for stamp in (STAMPS.start, STAMPS.stop))
"""Dates that it can say."""
_MADE = ("analysis", "analyses", "ogid_before", "ogid_after", "timestamp_ms")
"""Keys of a ply that are made anew where anything changed."""

_Document = dict[str, Any]


def write(matches: Sequence[Match]) -> bytes:
    """The bytes of matches, one file after the other. Raises InvalidFileError for what the format cannot hold."""
    return b"".join(_bytes(match) for match in matches)


def _bytes(match: Match) -> bytes:
    if match.variant not in _VARIANTS:
        chequers = get_variant(match.variant).chequers
        raise InvalidFileError(
            f"OGXM has hypergammon of 3 chequers alone; with {chequers} it would be read as backgammon"
        )
    library = codec(None)
    document = _Writer(match).document()
    problem = library.v2_problem(document)
    if problem is not None:
        where = _broken_at(library, document, problem)
        raise InvalidFileError(
            f"the match cannot be written as OGXM: {where}it goes against the format's rule on {problem!r}"
        )
    try:
        return bytes(library.json_to_binary(document))
    except (RuntimeError, ValueError) as error:
        raise InvalidFileError(f"the match cannot be written as OGXM: {error}") from None


def _broken_at(library: ModuleType, document: _Document, problem: str) -> str:
    """Where a document begins to break a rule; empty where that is not in its games."""
    games = document["games"]
    if library.v2_problem(document | {"games": []}) == problem:
        return ""
    for number, game in enumerate(games):
        if library.v2_problem(document | {"games": games[: number + 1]}) == problem:
            for index in range(len(game["plies"])):
                begun = game | {"plies": game["plies"][: index + 1]}
                if library.v2_problem(document | {"games": [*games[:number], begun]}) == problem:
                    return f"in game {number + 1}, ply {index + 1}, "
            return f"in game {number + 1} "
    return ""


class _Writer:
    def __init__(self, match: Match) -> None:
        self._match = match
        self._old = kept(match)
        self._original = None if self._old is None else match_of(self._old)
        self._before: dict[str, tuple[Action, _Document]] = {}  # action and ply by number in the old document
        if self._old is not None and self._original is not None:
            games = items(self._old, "games")
            for game in self._original.games:
                for action in game.actions:
                    if place := dict(action.extras).get(PLY):
                        number, index = map(int, place.split("."))
                        self._before[place] = action, items(games[number], "plies")[index]
        self._places: dict[int, int] = {}  # plies of the old document, counted through: in the new one
        self._beavers = 0  # since the last double
        self._games: dict[int, int] = {}  # likewise of games
        self._plies: list[tuple[_Document, Action | None]] = []

    def document(self) -> _Document:
        match, old, original = self._match, self._old, self._original
        if old is not None and original is not None and version_of(old) > 1 and _same(match, original):
            return old
        document = self._head()
        document["games"] = [self._game(game) for game in match.games]
        self._clock(document)
        unchanged = old is not None and version_of(old) > 1 and _signed(document) == _signed(old)
        if not unchanged:
            for key in ("white_score", "black_score"):
                document.pop(key, None)
        self._analyses(document, unchanged=unchanged)
        self._notes(document)
        if unchanged and old is not None and "match_signatures" in old:
            clocks = [[ply.get("timestamp_ms") for ply in _plies(each)] for each in (document, old)]
            document["match_signatures"] = [
                sign for sign in items(old, "match_signatures") if not sign.get("covers") or clocks[0] == clocks[1]
            ]
        return document

    def _head(self) -> _Document:
        """What is said of the match as a whole."""
        match, original = self._match, self._original
        made = {"games", "annotations", "analysis_info", "analyses_info", "match_signatures", "replay_complete"}
        made |= {"replay_failed_game", "checksum", "ogxm"}
        document = {key: value for key, value in (self._old or {}).items() if key not in made}
        document |= {"ogxm": {"major": 2, "minor": 0}}
        if version_of(self._old or {}) == 1:
            # Version 1 has no score to start from, and the codec reads other numbers there.
            document = {key: value for key, value in document.items() if not key.endswith("_score_start")}

        def changed(of: Callable[[Match], object]) -> bool:
            return original is None or of(match) != of(original)

        if changed(lambda each: [player.name for player in each.players]):
            document["player_black"], document["player_white"] = (player.name for player in match.players)
        for player, colour in zip(match.players, ("black", "white"), strict=True):
            if player.rating is not None:
                profile = document.get(f"{colour}_profile", {})
                document[f"{colour}_profile"] = {"rating_system": "elo"} | profile | {"rating": player.rating}
        if changed(lambda each: replace(Rules.of(each), automatic_doubles=0)):
            document |= {
                "match_length": match.length,
                "variant": _VARIANTS[match.variant],
                "crawford": match.crawford_rule,
                "jacoby": match.jacoby,
                "beavers": match.beavers > 0,
                "raccoons": match.beavers > 1,
                "cube_limit": match.cube_limit,
            }
        if _crawford_broken(match):
            document["crawford"] = False  # else the cube could not be turned in that game
        if match.games and any(first := match.games[0].score):
            document["black_score_start"], document["white_score_start"] = first
            before = match.length > 1 and match.length - 1 in first and not match.games[0].crawford
            if before and match.crawford_rule:
                document["crawford_played_before_start"] = True
        if changed(lambda each: {key: text for key, text in each.info.items() if key != "comment"}):
            self._info(document)
        return document

    def _info(self, document: _Document) -> None:
        info = self._match.info
        for key in ("event", "event_year", "round", "stage", "city", "country", "timestamp", "started_at"):
            document.pop(key, None)
        document |= {
            key: info[name]
            for key, name in (("event", "event"), ("stage", "round"), ("city", "place"))
            if info.get(name)
        }
        moment, lost = moment_of(info, *_SPAN)
        if moment is None:
            return
        document["timestamp"] = int(moment.replace(tzinfo=UTC).timestamp())
        document.pop("date_precision", None)
        if lost or not info.get("time"):
            document["date_precision"] = "day"

    # Games

    def _game(self, game: Game) -> _Document:
        old = items(self._old or {}, "games")
        first = next((place for action in game.actions if (place := dict(action.extras).get(PLY))), None)
        number = int(first.split(".")[0]) if first is not None and first in self._before else None
        lasting = ("_ext", "is_lastgame", "initial_board", "initial_cube_value", "initial_cube_owner", "auto_doubles")
        source = {} if number is None else old[number]
        made: _Document = {key: source[key] for key in lasting if key in source}
        if number is not None:
            self._games[number] = game.number - self._match.games[0].number
        if game.cube > 1 and not ("initial_cube_value" in made or "auto_doubles" in made):
            made["auto_doubles"] = game.cube.bit_length() - 1
        begun = len(self._plies)
        actions = game.actions
        there = "initial_board" in made or "initial_cube_owner" in made
        if there and actions and actions[0].kind is ActionKind.SET and not actions[0].comment:
            actions = actions[1:]
        for action in actions:
            self._action(action)
        if number is not None and game.actions:
            self._end(game.actions[-1], number)
        made["plies"] = [ply for ply, _ in self._plies[begun:]]
        if game.winner is not None:
            made |= {"winner": 1 - game.winner, "points_won": game.points}
            if game.resigned:
                made["termination"] = "resigned"
            elif "termination" in source:
                made["termination"] = source["termination"]
        return made

    def _end(self, last: Action, number: int) -> None:
        """The marks that stood at the end of the game."""
        place = dict(last.extras).get(PLY)
        if place in self._before and place is not None:
            plies = items(items(self._old or {}, "games")[number], "plies")
            for index in range(int(place.split(".")[1]) + 1, len(plies)):
                if plies[index].get("action_id") in ENDS:
                    self._add(plies[index], None, (number, index))

    def _add(self, ply: _Document, action: Action | None, place: tuple[int, int] | None) -> None:
        if place is not None:
            games = items(self._old or {}, "games")
            before = sum(len(items(game, "plies")) for game in games[: place[0]])
            self._places[before + place[1]] = len(self._plies)
        self._plies.append(({key: value for key, value in ply.items() if key not in _MADE}, action))

    def _action(self, action: Action) -> None:
        place = dict(action.extras).get(PLY)
        known = self._before.get(place or "")
        self._beavers = self._beavers + 1 if action.kind is ActionKind.BEAVER else self._beavers
        if action.kind is ActionKind.DOUBLE:
            self._beavers = 0
        if known is not None and place is not None and _act(known[0]) == _act(action):
            number, index = map(int, place.split("."))
            self._add(known[1], action, (number, index))
            return
        ours: Action | None = action
        for ply in _plies_of(action, self._beavers if action.state.doubled else 0):
            self._add(ply, ours, None)
            ours = None  # what is said of an action stands with its first ply

    def _clock(self, document: _Document) -> None:
        """The times: the clock's readings, which begin at 0 and go on to the last that is known."""
        seconds = [None if action is None else action.seconds for _, action in self._plies]
        known = [index for index, taken in enumerate(seconds) if taken is not None]
        if not known:
            document.pop("clock_info", None)
            return
        reading = 0.0
        for index, (ply, _) in enumerate(self._plies[: known[-1] + 1]):
            reading += (seconds[index] or 0.0) if index else 0.0
            ply["timestamp_ms"] = round(reading * 1000)
        usual = {"reserve_ms": 0, "delay_ms": 0, "increment_ms": 0, "start_timestamp": 0}
        document.setdefault("clock_info", usual)

    # Analyses and notes

    def _analyses(self, document: _Document, *, unchanged: bool) -> None:
        """The blocks, those of the old document first. unchanged: whether their signatures hold."""
        old = self._old if self._old is not None and version_of(self._old) > 1 else None
        known = () if self._old is None else Analyst(self._old, version_of(self._old)).sources
        by_source: dict[str, list[ForeignAnalysis]] = {}
        for _, action in self._plies:
            for analysis in () if action is None else action.analyses:
                by_source.setdefault(analysis.source, []).append(analysis)
        blocks: list[_Document] = []
        for number, source in enumerate(known):
            if source in by_source or (old is not None and not self._had(source)):
                currency = currency_of(by_source.get(source, ()), in_match=self._match.length > 0)
                info = dict(blocks_of(self._old or {})[number])
                if old is None:
                    info = {key: value for key, value in info.items() if key != "ply"} | {"currency": currency}
                same = self._block(len(blocks), source, number if old is not None else None, info)
                for key in () if unchanged and same else ("signature", "match_digest"):
                    info.pop(key, None)
                for key in () if unchanged else ("coverage", "complete"):
                    info.pop(key, None)
                blocks.append(info)
        for source, analyses in by_source.items():
            if source not in known:
                info = block_of(source, analyses, currency_of(analyses, in_match=self._match.length > 0))
                if len(by_source) == 1 and (build := self._build()):
                    info["engine_build"] = build
                self._block(len(blocks), source, None, info)
                blocks.append(info)
        if blocks:
            document["analysis_info"] = blocks[0]
        if len(blocks) > 1:
            document["analyses_info"] = blocks
        for ply, _ in self._plies:
            if listed := ply.pop("analyses", None):
                if len(blocks) > 1:
                    ply["analyses"] = listed
                else:
                    ply["analysis"] = {key: value for key, value in listed[0].items() if key != "analysis_index"}

    def _build(self) -> str:
        """How our analysis was made; of some of the games its last part, the label, alone."""
        made, judged = made_by(self._match.games)
        return made if judged == len(self._match.games) else made[made.rfind("[") + 1 : -1]

    def _had(self, source: str) -> bool:
        """Whether the original knew anything of a block."""
        return any(each.source == source for action, _ in self._before.values() for each in action.analyses)

    def _block(self, number: int, source: str, old: int | None, info: _Document) -> bool:
        """Writes what a block says of every ply; returns whether it says what it said before."""
        currency = str(info.get("currency", "cubeful_match" if self._match.length else "cubeful"))
        same = True
        for (ply, action), (later, _) in zip_longest(self._plies, self._plies[1:], fillvalue=({}, None)):
            if action is None:
                continue
            mine = _analysis_by(action, source)
            known = self._before.get(dict(action.extras).get(PLY, ""))
            if old is not None and known is not None and mine == _analysis_by(known[0], source):
                said = next((found for index, found in said_of(known[1]) if index == old), None)
                if ply.get("illegal"):
                    said = None
            else:
                same = False
                said = None if mine is None or ply["action_id"] == SET else said_by(mine, action, currency)
                if said is not None and not ply.get("moves") and later.get("action_id") in RESIGNS:
                    # The roll of a player who then resigns counts as not played.
                    said = {key: part for key, part in said.items() if key != "alternatives"} or None
            if said is not None:
                ply.setdefault("analyses", []).append(said | {"analysis_index": number})
        return same

    def _notes(self, document: _Document) -> None:
        match = self._match
        notes: list[_Document] = []
        identities = {block.get("analysis_id") for block in blocks_of(document)}
        ours: dict[tuple[str, int], str] = {("match", 0): match.info.get("comment", "")}
        ours |= {("game", index): game.comment for index, game in enumerate(match.games)}
        for index, (_, action) in enumerate(self._plies):
            if action is not None:
                ours["ply", index] = action.comment
        theirs: dict[tuple[str, int], list[_Document]] = {}
        for note in items(self._old or {}, "annotations"):
            scope, ref = note.get("scope"), note.get("ref", 0)
            if scope == "game":
                ref = self._games.get(ref)
            elif scope != "match":
                ref = self._places.get(ref)
            if ref is None or note.get("analysis", next(iter(identities), None)) not in identities | {None}:
                continue
            moved = note | {"ref": ref}
            if remark(note):
                theirs.setdefault((str(scope), ref), []).append(moved)
            else:
                notes.append(moved)
        for place, text in ours.items():
            before = theirs.get(place, [])
            if text and text == "\n".join(note["value"] for note in before):
                notes += before
            elif text:
                notes.append({"scope": place[0], "ref": place[1], "value": text})
        if notes:
            document["annotations"] = sorted(notes, key=_order)


def _crawford_broken(match: Match) -> bool:
    """Whether the cube is turned in a game that by the score is the Crawford game."""
    rules, score = Rules.of(match), None
    for game in match.games:
        doubled = any(action.kind is ActionKind.DOUBLE for action in game.actions)
        first = score is None and game.score != (0, 0) and not game.crawford  # it may have been played before
        if doubled and not first and rules.crawford_game(game.score, score):
            return True
        score = game.score
    return False


def _order(note: _Document) -> tuple[Any, ...]:
    """Where a note stands: by what it is about, those with keys first."""
    scope = note.get("scope")
    return (
        _SCOPES.index(scope) if scope in _SCOPES else len(_SCOPES),
        note.get("ref", 0),
        str(note.get("analysis", "")),
        str(note.get("kind", "")),
        note.get("alt_index", 0),
        not note.get("key"),
        str(note.get("key", "")),
        str(note.get("lang", "")),
    )


def _same(match: Match, original: Match) -> bool:
    """Whether nothing that can be written was changed since the match was read."""
    unwritten = {name: getattr(match, name) for name in ("source", "problems", "format", "extras")}
    return match == replace(original, **unwritten)


def _analysis_by(action: Action, source: str) -> ForeignAnalysis | None:
    return next((each for each in action.analyses if each.source == source), None)


def _act(action: Action) -> tuple[object, ...]:
    """What was done, without what was thought and said of it."""
    return (
        action.kind,
        action.player,
        action.position,
        action.dice,
        action.play,
        action.value,
        action.illegal,
        action.state.cube,
    )


def _plies(document: _Document) -> list[_Document]:
    return [ply for game in items(document, "games") for ply in items(game, "plies")]


def _signed(document: _Document) -> object:
    """What signatures vouch for: the match and its plies."""
    left = {"games", "annotations", "analysis_info", "analyses_info", "match_signatures", "clock_info", "video_info"}
    left |= {"checksum", "replay_complete", "ogxm", "_sections"}
    derived = {"first_to_move", "game_index", "is_crawford", "is_default_board", "plies"}
    marks = {*_MADE, "video_ms", "wall_ms", "behind_live_ms", "video_hand_anchored"}
    return (
        {key: value for key, value in document.items() if key not in left},
        [{key: value for key, value in game.items() if key not in derived} for game in items(document, "games")],
        [{key: value for key, value in ply.items() if key not in marks} for ply in _plies(document)],
    )


def _plies_of(action: Action, beavers: int) -> list[_Document]:
    """The plies of an action that is not in the old document. beavers: how many there were, with it, since a double."""
    player, kind = action.player, action.kind
    if kind is ActionKind.SET:
        state = action.state
        ply = {"action_id": SET, "color": state.on_roll, "set_position": board_of(action.position, state.on_roll)}
        cube: _Document = {"action_id": CUBE_SET, "color": state.on_roll, "cube_value": state.cube}
        if state.cube_owner is not None:
            cube["cube_owner"] = _OWNERS[state.cube_owner]
        return [ply, cube] if state.cube > 1 or state.cube_owner is not None else [ply]
    if kind in (ActionKind.MOVE, ActionKind.ROLL):
        return [_rolled(action)]
    if kind is ActionKind.RESIGN:
        return [{"action_id": RESIGNS[0], "color": player, "resign_value": _FACTORS[action.value]}]
    if kind is ActionKind.BEAVER:
        return [{"action_id": (BEAVER, RACCOON)[beavers - 1], "color": player}] if beavers < 3 else []
    if beavers and kind is not ActionKind.DOUBLE:
        if beavers == 1 or kind is not ActionKind.TAKE:
            return []  # whoever plays on has taken a beaver
        # The codec has whoever raccoons own the cube.
        value = action.state.cube << beavers + 1
        owner = 1 - action.state.on_roll
        return [{"action_id": CUBE_SET, "color": 1 - owner, "cube_value": value, "cube_owner": _OWNERS[owner]}]
    return [{"action_id": {ActionKind.DOUBLE: DOUBLE, ActionKind.TAKE: TAKE}.get(kind, DROP), "color": player}]


def _rolled(action: Action) -> _Document:
    assert action.dice is not None
    player, play = action.player, action.play
    low, high = sorted(action.dice)
    rolled = {"d1": action.dice[0], "d2": action.dice[1]}
    number = (0, 6, 11, 15, 18, 20)[low - 1] + high - low
    if play is None:
        return {"action_id": number, "color": player, "moves": [], "unplayed_roll": True} | rolled
    if action.illegal:
        # It is written as the board that came of it, which belongs to the player who is to move.
        board = board_of(play.result, 1 - player)
        return {"action_id": SET, "color": 1 - player, "set_position": board, "illegal": True} | rolled
    return {"action_id": number, "color": player, "moves": steps_of(play, player)} | rolled


def losses(match: Match) -> list[str]:
    """What is lost beyond the features."""
    lost = []
    actions = [action for game in match.games for action in game.actions]
    if any(action.kind is ActionKind.DROP and action.state.beavered for action in actions):
        lost.append("passes of a beaver")
    if _crawford_broken(match):
        lost.append(Feature.CRAWFORD_GAME.value)
    if match.beavers not in (0, 1, 3):
        lost.append(Feature.BEAVER_RULE.value)
    if any(action.kind is ActionKind.BEAVER and action.state.beavered > 1 for action in actions):
        lost.append("beavers after a raccoon")
    unplayed = ActionKind.SET, ActionKind.ROLL
    if any(action.analyses and (action.illegal or action.kind in unplayed) for action in actions):
        lost.append("analyses of illegal plays, of rolls that were not played and of positions set by hand")
    judged = [each for action in actions for each in action.analyses]
    for source in dict.fromkeys(each.source for each in judged):
        mine = [each for each in judged if each.source == source]
        currency = currency_of(mine, in_match=match.length > 0)
        if any(each.cube is not None and cube_said(each.cube, currency) is None for each in mine):
            lost.append("cube analyses without what all three choices are worth")
            break
    made = [
        (each.plays[0].method, each.plays[each.played].method)
        for action in actions
        for each in action.analyses
        if each.plays and each.played is not None
    ]
    if any(best != played for best, played in made):
        lost.append("values of plays that were judged in another way than the best one")
    if any(action.dice is not None and action.dice[0] > action.dice[1] for action in actions):
        lost.append(UNORDERED)
    lost += moment_lost(match.info, *_SPAN)
    if match.info.get("annotator"):
        lost.append("annotator")
    if any(player.experience is not None for player in match.players):
        lost.append("experience of the players")
    if actions and actions[0].seconds:
        lost.append("time of the first action")
    return lost

"""The tags of a `.mat`: what `; [Event "Club night"]` and its like say of a match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sixprime.game.match_rules import LARGEST_PLAYED_CUBE, LONGEST_MATCH, Rules
from sixprime.game.record import Match, Player

_INFO_TAGS = {
    "event": "Event",
    "round": "Round",
    "place": "Site",
    "date": "EventDate",
    "time": "EventTime",
    "annotator": "Transcriber",
}
_OTHER_TAGS = {"EventDate": "Date", "EventTime": "Time"}  # HedgeHog's
_VARIATIONS = {
    "standard": "Backgammon",
    "nackgammon": "NackGammon",
    **{f"hypergammon{count}": f"HyperGammon ({count})" for count in (1, 2, 3)},
}
_DATE = re.compile(r"\d{4}(?:[./-]\d\d?){0,2}", re.ASCII)
_TIME = re.compile(r"\d\d?(?:[.:]\d\d){1,2}", re.ASCII)
_ON = {"on", "yes", "true", "1"}


class Tags:
    """The tags of a match, keys in any case; the first of several counts."""

    def __init__(self, tags: Sequence[tuple[str, str]]) -> None:
        self._values: dict[str, str] = {}
        for key, value in tags:
            self._values.setdefault(key.lower(), value.strip())

    def get(self, key: str) -> str | None:
        return self._values.get(key.lower())

    def _on(self, key: str, otherwise: bool) -> bool:
        value = self.get(key)
        return otherwise if value is None else value.lower() in _ON

    def rules(self, length: int | None) -> tuple[Rules, list[str]]:
        """What holds for all games, and complaints."""
        problems = []
        if length is not None and length > LONGEST_MATCH:
            problems.append(f"a match to {length} points; read as a money session")
            length = 0
        variation = (self.get("Variation") or "backgammon").lower()
        if "nack" in variation:
            variant = "nackgammon"
        elif "hyper" in variation:
            variant = f"hypergammon{next((digit for digit in variation if digit in '123'), 3)}"
        else:
            variant = "standard"
            if variation not in ("backgammon", "standard"):
                problems.append(f"the variation {self.get('Variation')!r} is not known; read as backgammon")
        limit = self.get("CubeLimit") or ""
        beavers = self.get("Beaver") or self.get("Beavers") or ""
        return Rules(
            length=length or 0,
            variant=variant,
            crawford_rule=self._on("Crawford", True),
            jacoby=self._on("Jacoby", True),
            beavers=int(beavers) if beavers in ("0", "1", "2", "3") else 3 if self._on("Beaver", True) else 0,
            cube_limit=min(int(limit), LARGEST_PLAYED_CUBE) if re.fullmatch(r"[1-9][0-9]{0,4}", limit) else 1024,
        ), problems

    def player_tag(self, player: int, names: tuple[str, str]) -> str:
        """The key under which the tags speak of a player; either may stand in the left column."""
        tagged = self.get("Player 1"), self.get("Player 2")
        swap = tagged != names and (tagged[0] == names[1] or tagged[1] == names[0])
        return f"Player {2 - player if swap else player + 1}"

    def players(self, names: tuple[str, str], ratings: tuple[float | None, float | None]) -> tuple[Player, Player]:
        """The players; what the tags say counts before the ratings given."""
        players = []
        for player in (0, 1):
            elo = self.get(f"{self.player_tag(player, names)} Elo") or ""
            found = re.fullmatch(r"\s*(-?\d{1,9}(?:[.,]\d{1,9})?)?\s*(?:/\s*(\d{1,9})\s*)?", elo)
            rating, experience = ratings[player], None
            if found is not None:
                if found[1] is not None:
                    rating = float(found[1].replace(",", "."))
                if found[2] is not None:
                    experience = int(found[2])
            players.append(Player(names[player], rating, experience))
        return players[0], players[1]

    def info(self, comments: Sequence[str]) -> dict[str, str]:
        """What has a common meaning."""
        info = {}
        for key, tag in _INFO_TAGS.items():
            value = self.get(tag) or self.get(_OTHER_TAGS.get(tag, tag))
            if value:
                info[key] = value
        if _DATE.fullmatch(date := info.get("date", "")):
            info["date"] = "-".join(part.zfill(2) for part in re.split("[./-]", date))
        if _TIME.fullmatch(time := info.get("time", "")):
            info["time"] = ":".join(part.zfill(2) for part in re.split("[.:]", time))
        if comments:
            info["comment"] = "\n".join(comments)
        return info


def tags_to_write(match: Match) -> Iterator[tuple[str, str]]:
    """The tags of the match but those that its other parts contradict, then those that these need and that are not
    there."""
    tags = Tags(match.tags)
    info = tags.info([])
    said = {key: tag for key, tag in _INFO_TAGS.items() if match.info.get(key, "") != info.get(key, "")}
    past = {name.lower() for tag in said.values() for name in (tag, _OTHER_TAGS.get(tag, tag))}
    yield from (each for each in match.tags if each[0].lower() not in past)
    rules, _ = tags.rules(match.length)
    names = match.players[0].name, match.players[1].name
    known = tags.players(names, (None, None))
    for key, tag in said.items():
        if match.info.get(key):
            value = match.info[key]
            if key == "date" and _DATE.fullmatch(value):
                value = value.replace("-", ".")
            elif key == "time" and _TIME.fullmatch(value):
                value = value.replace(":", ".")
            yield tag, value
    for player in (0, 1):
        key = tags.player_tag(player, names)
        if not match.tags or (not names[player] and tags.get(key) is None):
            yield key, names[player]
        if match.players[player] != known[player] and tags.get(f"{key} Elo") is None:
            yield f"{key} Elo", _rating(match.players[player])
    if match.variant != rules.variant:
        yield "Variation", _VARIATIONS[match.variant]
    if match.crawford_rule != rules.crawford_rule:
        yield "Crawford", "On" if match.crawford_rule else "Off"
    if not match.length and match.jacoby != rules.jacoby:
        yield "Jacoby", "On" if match.jacoby else "Off"
    if not match.length and match.beavers != rules.beavers:
        yield "Beaver", str(match.beavers) if match.beavers else "Off"
    if match.cube_limit != rules.cube_limit:
        yield "CubeLimit", str(match.cube_limit)


def _rating(player: Player) -> str:
    rating = "" if player.rating is None else f"{player.rating:.2f}"
    return rating if player.experience is None else f"{rating}/{player.experience}"

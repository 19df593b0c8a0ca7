"""What is in the library as objects of JSON, as `sixprime library ... --json` prints them; documented, stable keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixprime.codec import plain
from sixprime.store.decisions import Found, Group, Sum
from sixprime.store.library import Career, Kept, Noted

_FOUND = (
    *("match", "place", "player", "game", "move", "kind", "dice", "chosen", "best", "error", "error_mwc", "luck"),
    *("counted", "phase", "plan", "length", "date", "event", "note", "xgid", "distance"),
)
_NOTED = ("kind", "dice", "best", "phase", "plan", "length", "date", "note")


def found_to_dict(found: Found) -> dict[str, Any]:
    """A decision that was found."""
    return {**plain(found, *_FOUND), "players": list(found.names), "position_id": found.position.id}


def noted_to_dict(noted: Noted) -> dict[str, Any]:
    """A position that belongs to no match."""
    found = noted.found
    return {
        "position": found.match,
        **plain(found, *_NOTED),
        "tags": list(noted.tags),
        **plain(found, "xgid"),
        "position_id": found.position.id,
    }


def sums_to_dict(by: Group, groups: Sequence[Sum], total: Sum) -> dict[str, Any]:
    """Where equity went. The name of a group is under the key that `by` is."""
    names = ("decisions", "errors", "error", "pr")
    return {
        "by": by,
        "groups": [{by: each.name, **plain(each, *names)} for each in groups],
        "total": plain(total, *names),
    }


def career_to_dict(career: Career) -> dict[str, Any]:
    """A player over all matches."""
    return {
        "player": career.name,
        **plain(career, "matches", "won", "lost", "decisions", "pr"),
        "recent_pr": career.recent,
        "luck": career.luck,
        "trend": [{"pr": pr, "recent_pr": mean} for pr, mean in career.trend],
    }


def match_to_dict(kept: Kept) -> dict[str, Any]:
    """A match."""
    sides = [{"player": each.name, **plain(each, "pr", "decisions", "luck")} for each in kept.sides]
    return {
        "match": kept.number,
        "players": sides,
        **plain(kept, "length", "result", "date", "event", "checksum", "whole"),
    }

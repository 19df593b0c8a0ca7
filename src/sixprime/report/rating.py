"""What a match does to FIBS ratings, as text and as plain values for JSON."""

from __future__ import annotations

from typing import Any

from sixprime.analysis.ratings import fibs_chance, fibs_change

Pair = tuple[float, float]


def rating_to_dict(ratings: Pair, experience: tuple[int, int], length: int) -> dict[str, Any]:
    """Of both players: rating and experience before the match, the chance to win it, and the rating after a win and
    after a loss. Raises as `fibs_change`.
    """
    players = []
    for rating, opponent, played in zip(ratings, ratings[::-1], experience, strict=True):
        won, lost = (
            rating + fibs_change(rating, opponent, length, won=result, experience=played) for result in (True, False)
        )
        chance = fibs_chance(rating, opponent, length)
        players.append({"rating": rating, "experience": played, "win": chance, "after_win": won, "after_loss": lost})
    return {"length": length, "players": players}


def rating_text(told: dict[str, Any]) -> str:
    """The same in columns."""

    def row(name: str, *cells: str) -> str:
        return f"{name:21}" + "".join(f"{cell:>17}" for cell in cells)

    def after(player: dict[str, Any], key: str) -> str:
        return f"{player[key]:.2f}  {player[key] - player['rating']:+.2f}"

    length, players = told["length"], told["players"]
    return "\n".join(
        (
            row(f"Match of {length} point{'s' if length > 1 else ''}", "first", "second"),
            row("Rating", *(f"{player['rating']:.2f}" for player in players)),
            row("Experience", *(f"{player['experience']}" for player in players)),
            row("Wins", *(f"{100 * player['win']:.2f} %" for player in players)),
            row("After a win", *(after(player, "after_win") for player in players)),
            row("After a loss", *(after(player, "after_loss") for player in players)),
        )
    )

"""Draws the pictures of README and pages: `python docs/figures/pictures.py`; with `board` that of the terminal alone.

Needs Chromium and pngquant, but for the board.
"""

from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

import sixprime as sp
from sixprime.play import Adviser, EngineSeat, Person, SeededDice, Session
from sixprime.report import render_html, render_terminal
from sixprime.terminal.app import Playing
from sixprime.terminal.presenter import Presenter

FOLDER = Path(__file__).parent


def main() -> None:
    (FOLDER / "board.svg").write_text(asyncio.run(board()), encoding="utf-8")
    if sys.argv[1:] == ["board"]:
        return
    analysed = sp.analyse(sp.read(sp.sample_match()), plies=2)
    console = Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False)
    render_terminal(analysed, console, worst=3)
    drawn = console.export_svg(title="sixprime analyse --sample", unique_id="summary")
    (FOLDER / "summary.svg").write_text(alone(drawn), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(render_html(analysed), encoding="utf-8")
        shot = [f"--screenshot={FOLDER / 'report.png'}", "--window-size=1200,1500", "--hide-scrollbars", page.as_uri()]
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", *shot], check=True)
    picture = str(FOLDER / "report.png")
    subprocess.run(["pngquant", "48", "--speed", "1", "--strip", "--force", "--output", picture, picture], check=True)


def alone(drawn: str) -> str:
    """A picture whose fonts are not fetched from elsewhere."""
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


async def board() -> str:
    """A few turns of a match at the terminal, a chequer taken up."""
    seat = EngineSeat.at("expert", threads=1)
    adviser = Adviser(seat.engine)
    session = Session((Person("Ann"), seat), sp.Rules(length=7), dice=SeededDice(4))
    app = Playing(Presenter(session, (0,)))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(60):
            await pilot.pause(0.05)
            table = session.table
            if table.turn != 0:
                continue
            entry = app.scene.entry if isinstance(app.scene, Presenter) else None
            points = [] if entry is None else [point for point in entry.starts if len(entry.targets(point)) > 1]
            if len(table.game.actions) > 12 and points:
                app.clicked(points[0], quick=False)
                break
            session.submit(adviser.hint(table).best.act)
        await pilot.pause(0.5)
        drawn = app.export_screenshot(title="sixprime play")
    session.close()
    return alone(drawn)


if __name__ == "__main__":
    main()

"""Draws the two pictures of the README from the match that ships: `python docs/figures/pictures.py`.

Needs Chromium and pngquant.
"""

from __future__ import annotations

import io
import re
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console

import sixprime as sp
from sixprime.report import render_html, render_terminal

FOLDER = Path(__file__).parent


def main() -> None:
    analysed = sp.analyse(sp.read(sp.sample_match()), plies=2)
    console = Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False)
    render_terminal(analysed, console, worst=3)
    drawn = console.export_svg(title="sixprime analyse --sample", unique_id="summary")
    # Fonts are not to be fetched from elsewhere.
    (FOLDER / "summary.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(render_html(analysed), encoding="utf-8")
        shot = [f"--screenshot={FOLDER / 'report.png'}", "--window-size=1200,1500", "--hide-scrollbars", page.as_uri()]
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", *shot], check=True)
    picture = str(FOLDER / "report.png")
    subprocess.run(["pngquant", "48", "--speed", "1", "--strip", "--force", "--output", picture, picture], check=True)


if __name__ == "__main__":
    main()

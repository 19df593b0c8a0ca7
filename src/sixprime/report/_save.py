"""Writing a report to a file."""

from __future__ import annotations

from pathlib import Path

from sixprime.analysis.model import AnalysedMatch
from sixprime.checks import path as path_of
from sixprime.errors import SettingsError
from sixprime.paths import write


def save(analysed: AnalysedMatch, path: str | Path) -> None:
    """Write the report in the format of the suffix: `.html`, `.json`, `.txt`; `.sgf` or `.sixprime`, to be read again.

    Raises SettingsError for another suffix, OSError when the file cannot be written.
    """
    target = Path(path_of(path))
    match target.suffix.lower():
        case ".html" | ".htm":
            from sixprime.report.html import render_html

            text = render_html(analysed)
        case ".json":
            import json

            from sixprime.report.json import to_dict

            text = json.dumps(to_dict(analysed), allow_nan=False, ensure_ascii=False, indent=1) + "\n"
        case ".txt":
            from sixprime.report.terminal import match_text

            text = match_text(analysed)
        case ".sixprime":
            from sixprime import codec

            codec.save(analysed, target)
            return
        case ".sgf":
            from sixprime.analysis.kept import with_analysis
            from sixprime.formats import render

            text = str(render([with_analysis(analysed)], "sgf")[0])
        case suffix:
            known = ".html, .json, .txt, .sgf or .sixprime"
            raise SettingsError(f"the suffix of a report must be {known}. Got {suffix!r} instead.")
    write(target, text)

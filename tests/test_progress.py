"""How far work has come, in words."""

from __future__ import annotations

import pytest

from sixprime import progress
from sixprime.progress import Progress, spoken


def test_progress_is_said_now_and_then_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    said: list[str] = []
    speak = spoken(said.append, 5)
    for now, done in ((101, 20), (104, 40), (106, 40), (107, 80), (112, 80), (113, 100)):  # noqa: B007
        speak(Progress(done, 120))
    assert said == ["33 %, about 20 s left", "67 %, about 7 s left"]

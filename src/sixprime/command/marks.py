"""From where what was played is marked, as `set analysis threshold` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.command.call import Call
from sixprime.command.words import Refused
from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from sixprime.analysis.thresholds import Thresholds


def thresholds(call: Call) -> Thresholds:
    """From where there are marks. Raises `Refused` for sizes that do not rise."""
    from sixprime.analysis.thresholds import Thresholds

    at = call.options.analysis.threshold
    sizes = (at.doubtful, at.bad, at.verybad, at.lucky, at.verylucky)
    try:
        return Thresholds(*sizes, unlucky=at.unlucky, very_unlucky=at.veryunlucky)
    except SettingsError as error:
        raise Refused(f"The thresholds of `set analysis threshold' do not fit together: {error}") from None

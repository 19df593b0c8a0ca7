"""From where what was played is marked, as `set analysis threshold` says."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING

from sixprime.command.options import Options

if TYPE_CHECKING:
    from sixprime.analysis.thresholds import Thresholds


def thresholds(options: Options) -> Thresholds:
    """From where there are marks. Of sizes that do not rise, as while they are set one after the other, the worse mark
    counts."""
    from sixprime.analysis.thresholds import Thresholds

    at = options.analysis.threshold
    very_bad = max(at.verybad, float_info.min)  # 0 marks whatever loses anything
    bad = min(max(at.bad, float_info.min), very_bad)
    doubtful = min(max(at.doubtful, float_info.min), bad)
    return Thresholds(
        doubtful,
        bad,
        very_bad,
        min(at.lucky, at.verylucky),
        at.verylucky,
        unlucky=min(at.unlucky, at.veryunlucky),
        very_unlucky=at.veryunlucky,
    )

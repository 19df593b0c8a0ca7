"""Noise: what makes a player weaker by design.

To the static chances of winning a normal deviate is added, and smaller ones to those of gammons. It depends on the
position and on a seed alone, so that neither batches nor threads matter. What the databases know exactly stays as it
is. Spread as GNU Backgammon's: 1 for wins, 1/4 for gammons, 1/100 for backgammons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import SEED, Fields, Real, array
from sixprime.engine.random import hash64

_FIELDS = Fields(deviation=Real(0, 1), seed=SEED)
_SPREAD = np.array([1.0, 0.25, 0.01, 0.25, 0.01])


@dataclass(frozen=True, slots=True)
class Noise:
    """deviation: standard deviation of the chance of winning, 0 to 1; seed: another seed is another noise.

    Raises `SettingsError` for either out of range.
    """

    deviation: float
    seed: int = 0

    def __post_init__(self) -> None:
        _FIELDS(self)

    def add(self, boards: NDArray[np.int8], outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Outcomes `float64[N, 5]` with noise, of packed boards `int8[N, 32]`.

        They stay probabilities, cumulative, and what was impossible or certain stays so. Raises SettingsError for other
        arrays.
        """
        boards = array("boards", boards, np.int8, None, kernels.WIDTH)
        outputs = array("outputs", outputs, np.float64, len(boards), 5)
        noisy = outputs + self.deviation * _SPREAD * self._normal(boards)
        noisy = np.where((outputs > 0) & (outputs < 1), np.clip(noisy, 0.0, 1.0), outputs)
        noisy[:, 1] = np.minimum(noisy[:, 1], noisy[:, 0])
        noisy[:, 3] = np.minimum(noisy[:, 3], 1.0 - noisy[:, 0])
        noisy[:, 2] = np.minimum(noisy[:, 2], noisy[:, 1])
        noisy[:, 4] = np.minimum(noisy[:, 4], noisy[:, 3])
        return noisy

    def _normal(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Normal deviates `[N, 5]`, by Box and Muller from two uniform ones each."""
        plain = boards.copy()
        plain[:, 28:] = 0
        words = plain.view(np.int64)
        uniform = np.stack(
            [
                hash64(self.seed, k, words[:, 0], words[:, 1], words[:, 2], words[:, 3]).astype(np.float64)
                for k in range(10)
            ],
            axis=1,
        )
        uniform = (uniform + 1.0) / 2.0**64
        radius = np.sqrt(-2.0 * np.log(np.minimum(uniform[:, :5], 1.0)))
        return np.asarray(radius * np.cos(2.0 * np.pi * uniform[:, 5:]))

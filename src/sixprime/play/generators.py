"""Random generators by which the same seed throws the same dice as in GNU Backgammon.

Each is written from its public definition: MT19937 (Matsumoto and Nishimura, here NumPy's), ISAAC (Jenkins), x² mod n
(Blum, Blum and Shub), digests of a counter (RFC 1321), the additive generator of random(3) and the example of ANSI C.
How seeds are spread out and numbers become dice was found by comparing outputs; only the last two, which later programs
no longer have, could not be compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from threading import Lock

import numpy as np

from sixprime.errors import SettingsError
from sixprime.game.acts import Dice

BLUM = 46669116508701198206463178178218347698370262771368237383789001446050921334081
"""The modulus of BBS where none is given, a product of two primes."""
_WORD = (1 << 32) - 1
_ISAAC_SIZE = 16
_TRIED = 64
"""Seeds of BBS that are tried, one after the other."""
_SHORTEST = 16
"""Squarings within which a sequence of BBS may not come back to where it was."""


def factors_of(first: int, second: int) -> tuple[int, int]:
    """Factors of a modulus for BBS: the next two different primes from these on that leave 3 when divided by 4."""
    one = _blum_prime(first, 0)
    return one, _blum_prime(second, one)


def throws(name: str, seed: int, modulus: int = 0) -> Throws:
    """The dice of a generator, one of `GENERATORS`, in order; the same object for the same seed.

    modulus: of BBS, 0 for `BLUM`. Raises `SettingsError` for a seed or modulus that cannot be.
    """
    if seed < 0:
        raise SettingsError(f"The seed of {name} must be a whole number from 0. Got {seed} instead.")
    return _throws(name, seed, modulus)


def seed_after(name: str, seed: int, count: int, modulus: int = 0) -> int:
    """The seed by which md5 and bbs go on after so many throws; of other generators the one they began with."""
    if name == "bbs":
        modulus = modulus or BLUM
        seed = _bbs_seed(seed, modulus)
        steps = _bbs_steps(seed, modulus)
    elif name == "md5":
        steps, seed = _md5_steps(seed), (seed & (1 << 64) - 1) % _WORD
    else:
        return seed
    return next((after for _, after in islice(steps, 2 * count - 1, None)), seed) if count else seed


class Throws:
    """A sequence of throws, made as far as somebody has asked."""

    def __init__(self, faces: Iterator[int]) -> None:
        self._faces, self._found, self._lock = faces, list[Dice](), Lock()

    def __getitem__(self, number: int) -> Dice:
        if number < 0:
            raise SettingsError(f"Throws are counted from 0. Got {number!r} instead.")
        with self._lock:
            while len(self._found) <= number:
                self._found.append((next(self._faces), next(self._faces)))
            return self._found[number]


@lru_cache(maxsize=32)
def _throws(name: str, seed: int, modulus: int) -> Throws:
    if name == "bbs":
        return Throws(_bbs(seed, modulus or BLUM))
    return Throws(GENERATORS[name](seed))


def _faces(words: Iterator[int], most: int = _WORD) -> Iterator[int]:
    """Faces from numbers 0 to `most`: six equal parts, and what is left over does not count."""
    share = most // 6
    return (1 + word // share for word in words if word < 6 * share)


def _words_of(seed: int) -> list[int]:
    """A number in words of 32 bits, the lowest first."""
    return [seed >> shift & _WORD for shift in range(0, max(seed.bit_length(), 1), 32)]


def _mersenne(seed: int) -> Iterator[int]:
    key = seed if seed <= _WORD else np.array((_words_of(seed) + [0] * 624)[:624], dtype=np.uint32)
    source = np.random.RandomState(key)

    def words() -> Iterator[int]:
        while True:
            yield from source.randint(0, 1 << 32, dtype=np.uint32, size=256).tolist()

    return _faces(words())


def _isaac(seed: int) -> Iterator[int]:
    return _faces(_isaac_words((_words_of(seed) + [0] * _ISAAC_SIZE)[:_ISAAC_SIZE]))


def _isaac_words(key: list[int]) -> Iterator[int]:
    """Jenkins's generator with a state of as many words as the key; each lot of results is used from its end."""
    size = len(key)
    state = [0x9E3779B9] * 8
    for _ in range(4):
        state = _mixed(state)
    memory = key
    for _ in range(2):
        mixed: list[int] = []
        for place in range(0, size, 8):
            state = _mixed([(a + b) & _WORD for a, b in zip(state, memory[place : place + 8], strict=True)])
            mixed += state
        memory = mixed
    half, bits = size // 2, size.bit_length() - 1
    a = b = c = 0
    while True:
        c = (c + 1) & _WORD
        b = (b + c) & _WORD
        results = []
        for i in range(size):
            x = memory[i]
            a ^= (a << 13, a >> 6, a << 2, a >> 16)[i % 4] & _WORD
            a = (a + memory[(i + half) % size]) & _WORD
            y = memory[i] = (memory[(x >> 2) % size] + a + b) & _WORD
            b = (memory[(y >> (2 + bits)) % size] + x) & _WORD
            results.append(b)
        yield from reversed(results)


def _mixed(state: list[int]) -> list[int]:
    for i, shift in enumerate((-11, 2, -8, 16, -10, 4, -8, 9)):
        following = state[(i + 1) % 8]
        state[i] ^= following >> shift if shift > 0 else following << -shift & _WORD
        state[(i + 3) % 8] = (state[(i + 3) % 8] + state[i]) & _WORD
        state[(i + 1) % 8] = (following + state[(i + 2) % 8]) & _WORD
    return state


def _md5(seed: int) -> Iterator[int]:
    """Two faces from the first two words of the digest of a counter."""
    return (face for face, _ in _md5_steps(seed))


def _md5_steps(seed: int) -> Iterator[tuple[int, int]]:
    """Faces, and the counter after each."""
    # Of the lowest 64 bits; a seed of 32 bits is the counter itself, but for the last one.
    counter = (seed & (1 << 64) - 1) % _WORD
    while True:
        digest = hashlib.md5(counter.to_bytes(4, "little"), usedforsecurity=False).digest()
        pair = list(_faces(int.from_bytes(digest[i : i + 4], "little") for i in (0, 4)))
        counter = (counter + 1) & _WORD
        if len(pair) == 2:
            yield from ((face, counter) for face in pair)


def _bbs(seed: int, modulus: int) -> Iterator[int]:
    """Raises SettingsError for a modulus or seed of which nothing comes."""
    return (face for face, _ in _bbs_steps(_bbs_seed(seed, modulus), modulus))


def _bbs_seed(seed: int, modulus: int) -> int:
    """The seed or, where little comes of it, the next one that is good. Raises as `_bbs`."""
    if modulus < 2:
        raise SettingsError(f"The modulus of bbs must be a number from 2. Got {modulus} instead.")
    if not seed:
        raise SettingsError("The seed 0 is too weak for bbs; choose another one.")
    found = next((tried for tried in range(seed, seed + _TRIED) if _is_strong(tried, modulus)), None)
    if found is None:
        raise SettingsError(f"The seed {seed} is too weak for bbs with the modulus {modulus}; choose another modulus.")
    return found


def _is_strong(seed: int, modulus: int) -> bool:
    """Whether the sequence of a seed is not over soon."""
    state = start = seed * seed % modulus
    for _ in range(_SHORTEST):
        state = state * state % modulus
        if state < 2 or state == start:
            return False
    return True


def _bbs_steps(state: int, modulus: int) -> Iterator[tuple[int, int]]:
    """Faces, and the state after each."""

    def bit() -> int:
        nonlocal state
        state = state * state % modulus
        return state & 1

    while True:
        # The bits are a binary fraction, of which so many are taken that it is known in which third it lies.
        low, parts = 0, 1
        while low * 3 // parts != ((low + 1) * 3 - 1) // parts:
            low, parts = 2 * low + bit(), 2 * parts
        third = low * 3 // parts
        face = 1 + third + 3 * bit()
        yield face, state


def _bsd(seed: int) -> Iterator[int]:
    def words() -> Iterator[int]:
        state = [seed & _WORD or 1]
        state[0] -= (1 << 32) if state[0] > _WORD // 2 else 0
        for _ in range(30):
            # Schrage's way through signed words, whose remainders are those of C.
            high, low = divmod(abs(state[-1]), 127773)
            sign = 1 if state[-1] >= 0 else -1
            word = sign * (16807 * low - 2836 * high)
            state.append(word + (_WORD >> 1) if word < 0 else word)
        state = [word & _WORD for word in state] + [word & _WORD for word in state[:3]]
        place = 0
        while True:
            state.append((state[-3] + state[-31]) & _WORD)
            state = state[-34:]
            if place >= 310:
                yield state[-1] >> 1
            place += 1

    return _faces(words(), _WORD >> 1)


def _ansi(seed: int) -> Iterator[int]:
    def words() -> Iterator[int]:
        state = seed & _WORD
        while True:
            state = (state * 1103515245 + 12345) & _WORD
            yield (state >> 16) & 0x7FFF

    return _faces(words(), 0x7FFF)


GENERATORS: dict[str, Callable[[int], Iterator[int]]] = {
    "mersenne": _mersenne,
    "isaac": _isaac,
    "bbs": lambda seed: _bbs(seed, BLUM),
    "md5": _md5,
    "bsd": _bsd,
    "ansi": _ansi,
}
"""Faces 1 to 6 by the name of the generator, from a seed."""


def _blum_prime(least: int, other: int) -> int:
    """The next prime from `least` on, above 16 and not `other`, that leaves 3 when divided by 4."""
    found = max(least, 17)
    while found % 4 != 3 or found == other or not _is_prime(found):
        found += 1
    return found


def _is_prime(number: int) -> bool:
    """By the test of Miller and Rabin with the first twelve primes, which is certain up to 3e24."""
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if number in small or any(number % prime == 0 for prime in small):
        return number in small
    twos = (number - 1 & 1 - number).bit_length() - 1
    odd = number - 1 >> twos
    for base in small:
        power = pow(base, odd, number)
        if power not in (1, number - 1) and not any(pow(power, 1 << i, number) == number - 1 for i in range(1, twos)):
            return False
    return True

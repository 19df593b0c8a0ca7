"""Generators of dice and their seeds."""

from __future__ import annotations

from dataclasses import replace

from sixprime.command import run_of_play as run
from sixprime.command.call import Call
from sixprime.command.options import Generator
from sixprime.command.tree import command, group, kept, only
from sixprime.command.words import Number, Path, Refused, Rest
from sixprime.errors import SettingsError

_NAMES = {
    "bbs": "the Blum, Blum and Shub",
    "isaac": "the ISAAC",
    "manual": "the manual dice",
    "md5": "the MD5",
    "mersenne": "the Mersenne Twister",
}


def _set(call: Call, generator: Generator) -> None:
    call.put("rng", generator)
    call.state = replace(call.state, dice=None, throws=0)


def _named(name: str, text: str) -> None:
    usage = {"bbs": "[modulus <modulus>|factors <factor> <factor>] [seed]", "manual": ""}.get(name, "[seed]")

    @command(f"set rng {name}", text, usage)
    def run_(call: Call, more: Rest) -> None:
        words = more.split()
        modulus = _modulus(call, words) if name == "bbs" else ""
        seed = _seed(words[0]) if words else None
        if not words and not modulus and call.options.rng.name == name:
            call.say(f"You are already using {_NAMES[name]} generator.")
            return
        (_try if modulus or seed is not None else _set)(call, Generator(name, seed, modulus))
        call.say(f"GNU Backgammon will now use {_NAMES[name]} generator.")
        if name != "manual":
            call.say(_seeded(seed))


def _try(call: Call, generator: Generator) -> None:
    """Sets a generator, if it can throw. Raises what it raises; then all is as before."""
    before = call.state
    _set(call, generator)
    try:
        run.dice(call)
    except Exception:
        call.state = before
        raise


def _modulus(call: Call, words: list[str]) -> str:
    """The modulus of BBS that the words begin with, which go. Raises `Refused`."""
    from sixprime.play.generators import factors_of

    low = words[0].lower() if words else ""
    if not low or low.isdigit() or not ("modulus".startswith(low) or "factors".startswith(low)):
        return ""
    named = "a modulus" if "modulus".startswith(low) else "two factors"
    count = 2 if named == "a modulus" else 3
    wrong = f"You must specify {named} for the generator."
    numbers = [_whole(word, wrong) for word in words[1:count]]
    if len(numbers) < count - 1 or min(numbers) < 1:
        raise Refused(wrong)
    del words[:count]
    if count == 2:
        return str(numbers[0])
    factors = factors_of(numbers[0], numbers[1])
    for given, used in zip(numbers, factors, strict=True):
        if used != given:
            call.say(f"{given} is an invalid Blum factor, using {used} instead.")
    return str(factors[0] * factors[1])


def _seed(text: str) -> int:
    """Raises `Refused` for what is no seed."""
    return _whole(text, "You must specify a valid seed (see `help set seed').")


def _whole(text: str, wrong: str) -> int:
    """A whole number from 0, as long as one likes. Raises `Refused`."""
    from sixprime.play.dice import whole

    try:
        return whole("seed", text)
    except SettingsError:
        raise Refused(wrong) from None


def _seeded(seed: int | None) -> str:
    return "Seed initialised from system random data." if seed is None else f"Seed set to {seed}."


def enter_rng(words: str) -> None:
    """Enters the generators of a rollout, whose options the words before concern."""
    group(words, "Where the dice of rollouts come from")
    for name in (*_NAMES, "file", "random.org"):
        _rollout_rng(f"{words} {name}", name)


def _rollout_rng(words: str, name: str) -> None:
    def run_(call: Call, more: Rest) -> None:
        if name in ("manual", "random.org", "file"):
            kind = {"file": "read from file", "manual": "manual dice"}.get(name, f"www.{name}")
            raise Refused(f"The {kind} RNG is not suitable for rollouts")
        if not more and call.get("rng").name == name:
            call.say(f"You are already using {_NAMES[name]} generator.")
            return
        seed = _seed(more.split()[-1]) if more else None
        seed = call.get("rng").seed if seed is None else seed
        call.put("rng", Generator(name, seed))
        call.say(f"GNU Backgammon will now use {_NAMES[name]} generator.")
        call.say(_seeded(seed))
        if name != "mersenne":
            call.say("(Kept only: rollouts throw the dice of Sixprime's own generator, by the seed that is set.)")

    command(words, f"Dice: {name}", "[seed]" if name in ("bbs", "isaac", "md5", "mersenne") else "")(run_)
    kept(words, "rng.name", only(name))


group("set rng", "Where the dice come from")
for _name in _NAMES:
    _named(_name, f"Dice: {_name}")
    kept(f"set rng {_name}", "rng.name", only(_name))


@command("set rng file", "Dice written in a file", "<filename>")
def set_rng_file(call: Call, path: Path = None) -> None:
    if not path:
        raise Refused("You must specify a file with dice.")
    _try(call, Generator("file", None, path))
    call.say(f"GNU Backgammon will now use the read from file generator.\nDice are read from `{path}'.")


kept("set rng file", "rng", lambda rng: [f'"{rng.more}"'] if rng.name == "file" else [])


@command("set rng random.org", "Dice of the system; random.org is not asked")
def set_rng_random(call: Call) -> None:
    _set(call, Generator("random.org"))
    call.say("Dice come from the randomness of the system; this program asks nobody on the net.")


kept("set rng random.org", "rng.name", only("random.org"))


@command("set seed", "Set the seed of the dice", "[seed]")
def set_seed(call: Call, text: Rest) -> None:
    seed = _seed(text) if text else None
    if call.options.rng.name in ("manual", "file", "random.org"):
        raise Refused("The dice that are set have no seed.")
    (_set if seed is None else _try)(call, replace(call.options.rng, seed=seed))
    call.say(_seeded(seed))


@command("dicerolls", "Throw dice and list them", "<trials>")
def dicerolls(call: Call, trials: Number = None) -> None:
    if trials is None or not 0 < trials <= 1_000_000:
        raise Refused("You must specify how many rolls to make.")
    for _ in range(trials):
        call.say("{} {}".format(*run.throw(call)))

"""What the user has set: read, written, refused with its place, and followed by every command."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime import SettingsError, settings
from sixprime.analysis.thresholds import Skill, Thresholds
from sixprime.checks import FLAG
from sixprime.cli import _COMMANDS, _settled
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.errors import InvalidFileError
from sixprime.game.match_rules import Rules
from sixprime.game.table import Table
from sixprime.learn import opening_book
from sixprime.nets.names import path_of
from sixprime.paths import sample_match
from sixprime.play import Automation, Clock, GeneratedDice, Person, SeededDice, Tutor
from sixprime.settings.file import value_of, written
from sixprime.settings.tree import KEYS, SECTIONS, PlaySection, Settings

START = "4HPwATDgc/ABMA"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a user who has set nothing yet."""
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "folder"))
    return tmp_path / "folder" / "settings.toml"


SAMPLES = {
    "engine": {
        "net": 'a "b" \\ é\x7f',
        "level": "roller",
        "plies": 3,
        "filter": "0+8@.16",
        "met": "woolsey",
        "threads": 2,
    },
    "analysis": {"trials": 72},
    "thresholds": {"doubtful": 0.02, "close_cube": 0.1},
    "rollout": {"rotate": False, "noise": 0.04, "seed": 2**62},
    "files": {"encoding": "cp1252"},
}


def made(sections: dict[str, dict[str, object]]) -> Settings:
    return Settings(**{section: SECTIONS[section](**values) for section, values in sections.items()})


@given(st.sets(st.sampled_from([(section, key) for section, values in SAMPLES.items() for key in values])))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, chosen: set[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("settings") / "settings.toml"
    sections = {
        section: {key: value for key, value in values.items() if (section, key) in chosen}
        for section, values in SAMPLES.items()
    }
    settings.save(made(sections), path)
    assert settings.load(path) == made(sections)


def test_nothing_is_made_by_reading(file: Path) -> None:
    assert settings.load() == Settings()
    assert not file.parent.exists()


def test_a_home_that_is_no_folder_has_no_settings() -> None:
    assert settings.load(f"{__file__}/settings.toml") == Settings()


def test_nothing_is_made_by_taking_out(tmp_path: Path) -> None:
    place = tmp_path / "sixprime" / "settings.toml"
    assert settings.change("hint.count", None, place) == Settings()
    assert not place.parent.exists()
    assert settings.change("hint.count", 3, place).hint.count == 3


def test_one_change_leaves_the_rest(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('# mine\n[rollout]\ntrials = 36 # few\n\n[engine]  # how\nmet="woolsey"\n')
    settings.change("rollout.trials", 72)
    settings.change("engine.plies", 1)
    settings.change("hint.count", 3)
    assert file.read_text() == (
        '# mine\n[rollout]\ntrials = 72 # few\n\n[engine]  # how\nmet="woolsey"\nplies = 1\n\n[hint]\ncount = 3\n'
    )
    settings.change("engine.met", None)
    assert settings.change("engine.met", None) == settings.load()
    assert "woolsey" not in file.read_text()
    file.write_text('engine = {net = "small"}\n')
    with pytest.raises(InvalidFileError, match="must be changed by hand"):
        settings.change("engine.plies", 1)
    assert file.read_text() == 'engine = {net = "small"}\n'


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_end_as_they_did(file: Path, sixprime, end: bytes) -> None:
    """Separators that end lines for Python and not in TOML are part of a line."""
    before = ["# mine \u2028 and \x85", "[engine] # fast", "plies = 1 # enough", "", "[play]", 'opponent = "small"']

    def written(lines: list[str]) -> bytes:
        return b"".join(line.encode() + end for line in lines)

    file.parent.mkdir()
    file.write_bytes(written(before))
    assert settings.load().engine.plies == 1
    steps = [
        (("set", "engine.plies", "2"), [*before[:2], "plies = 2 # enough", *before[3:]]),
        (("set", "engine.threads", "1"), [*before[:2], "plies = 2 # enough", "threads = 1", *before[3:]]),
        (("unset", "engine.plies"), [*before[:2], "threads = 1", *before[3:]]),
        (("set", "files.templates", "t"), [*before[:2], "threads = 1", *before[3:], "", "[files]", 'templates = "t"']),
    ]
    for words, lines in steps:
        assert sixprime("settings", *words).status == 0
        assert file.read_bytes() == written(lines)
    file.write_bytes(written(before)[: -len(end)])  # the last line has no end
    settings.change("play.opponent", "standard")
    assert file.read_bytes() == written([*before[:-1], 'opponent = "standard"'])
    file.write_bytes(written([*before, "wrong = 1"]))
    with pytest.raises(InvalidFileError, match=":7: "):
        settings.load()


def test_what_is_wrong_in_the_file_can_be_set_right(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[engine]\nplies = 99 # deep\nthreads = 2\n")
    assert settings.change("engine.plies", 1).engine.plies == 1
    assert file.read_text() == "[engine]\nplies = 1 # deep\nthreads = 2\n"
    file.write_text("[engine]\nplies = 99\n")
    with pytest.raises(InvalidFileError, match=r"engine\.plies must be"):
        settings.change("engine.threads", 1)
    assert settings.change("engine.plies", None) == Settings()


@pytest.mark.parametrize("text", ["n" * 1001, "a\nb", "\x1b[31m"])
def test_a_text_that_would_spoil_the_file_is_refused(file: Path, text: str) -> None:
    with pytest.raises(SettingsError, match=r"play.name must be a text (of at most 1,000|on one line)"):
        settings.change("play.name", text)
    assert not file.exists()


@pytest.mark.parametrize(("word", "value"), [("True", True), ("false", False), ("TRUE", True)])
def test_truth_is_written_in_any_case(word: str, value: bool) -> None:
    assert value_of("play.tutor", word) is value


def test_changes_at_the_same_time_are_all_kept(file: Path) -> None:
    pytest.importorskip("fcntl")
    for _ in range(3):
        wanted = {"engine.plies": 1, "engine.threads": 2, "hint.count": 3, "rollout.trials": 36, "rollout.seed": 4}
        with ThreadPoolExecutor(len(wanted)) as pool:
            list(pool.map(settings.change, wanted, wanted.values()))
        found = settings.load()
        assert {name: getattr(getattr(found, (at := name.split("."))[0]), at[1]) for name in wanted} == wanted
        file.unlink()


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "sixprime.toml"
    file.parent.mkdir()
    file.symlink_to(kept)
    settings.change("engine.plies", 1)
    settings.save(settings.change("engine.threads", 2))
    assert file.is_symlink()
    assert kept.read_text() == "[engine]\nplies = 1\nthreads = 2\n"


def test_what_a_file_cannot_hold_is_refused(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"engine\.net must be a text that UTF-8 can hold"):
        settings.change("engine.net", "\udcff")
    assert not file.exists()


def test_any_changes_in_any_order(file: Path) -> None:
    """The file says what was set last, whatever was set and unset before."""
    chance = random.Random(1)
    wanted: dict[str, dict[str, object]] = {}
    for _ in range(60):
        section = chance.choice([*SAMPLES])
        key = chance.choice([*SAMPLES[section]])
        value = chance.choice([None, SAMPLES[section][key]])
        settings.change(f"{section}.{key}", value)
        wanted.setdefault(section, {})[key] = value
        assert settings.load() == made(wanted)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[engine]\n\nplies = 9\n", r"settings.toml:3: engine.plies must be a whole number from 0 to 4. Got 9"),
        ("[engine]\nplies = true\n", r":2: engine.plies must be a whole number.*Got True"),
        ('[engine]\nlevel = "wold class"\n', r":2: engine.level: level must be one of"),
        ('[engine]\nfilter = "x"\n', r":2: engine.filter: filter must be one of"),
        ('[engine]\nexecutor = "x"\n', r":2: engine.executor: executor must be dask"),
        ('[engine]\ncube_model = "x"\n', r":2: engine.cube_model: "),
        ("[engine]\nnet = 1\n", r":2: engine.net must be a text. Got 1"),
        ("[engine]\nthread = 1\n", r":2: there is no setting 'engine.thread'; did you mean engine.threads\?"),
        ("[engnie]\nplies = 1\n", r":1: there is no setting 'engnie'"),
        ("[engine.sub]\n", r"there is no setting 'engine.sub'"),
        ("plies = 1\n", r":1: there is no setting 'plies'; did you mean engine.plies\?"),
        ("engine = 1\n", r":1: engine must be a section, begun by \[engine\]. Got 1"),
        ("[[engine]]\n", r"engine must be a section"),
        ("[engine.plies]\n", r"engine.plies must be"),
        ("[thresholds]\ndoubtful = 0.5\n", r":1: doubtful, bad and very_bad must be positive and rising"),
        ('[files]\nencoding = "x"\n', r":2: files.encoding: "),
        ("[engine\n", r"settings.toml: is no TOML: "),
        ("[rollout]\nnoise = nan\n", r":2: rollout.noise must be a number from 0 to 1. Got nan"),
        ("a = 1979-05-27", r"there is no setting 'a'"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(file: Path, text: str, words: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(InvalidFileError, match=words):
        settings.load()


def test_files_that_are_none(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidFileError, match="no text in UTF-8"):
        settings.load()
    with pytest.raises(OSError, match="a folder, not a regular file"):
        settings.load(tmp_path)


def test_texts_of_the_command_line() -> None:
    assert value_of("engine.plies", "1") == 1
    assert value_of("rollout.noise", ".5") == 0.5
    assert value_of("rollout.rotate", "false") is False
    assert value_of("play.name", "1") == "1"
    assert written("1") == '"1"'
    for key, text in (("engine.plies", "two"), ("rollout.rotate", "no"), ("rollout.noise", "nan"), ("engine.x", "1")):
        with pytest.raises(SettingsError):
            value_of(key, text)


def test_a_net_or_table_that_is_not_there_is_refused(file: Path, tmp_path: Path, sixprime) -> None:
    """When it is set; and by its name, where it has gone since."""
    (tmp_path / "text").write_text("no net")
    for name, value in (("engine.net", "nonsuch"), ("engine.net", str(tmp_path / "text")), ("engine.met", "nonsuch")):
        refused = sixprime("settings", "set", name, value)
        assert refused.status == 2
        assert f"{name}: " in refused.err
    assert not file.exists()
    small = tmp_path / "own.safetensors"
    small.write_bytes(path_of("small").read_bytes())
    for name, value in (("engine.net", str(small)), ("engine.met", "woolsey")):
        assert sixprime("settings", "set", name, value).status == 0
    small.unlink()
    refused = sixprime("eval", START)
    assert refused.status == 2
    assert f"engine.net: Cannot read the network file {small}" in refused.err
    assert sixprime("eval", START, "--net", "small", "--plies", "0").status == 0


def test_built_in_values_are_those_of_the_classes() -> None:
    for section, built_in in (("thresholds", Thresholds()), ("rollout", RolloutSettings())):
        for key in KEYS.values():
            if key.parts[0] == section and hasattr(built_in, key.parts[1]):
                value = getattr(built_in, key.parts[1])
                assert key.built_in == ("never" if value is None else written(value))


def test_rollouts_by_the_settings() -> None:
    assert settings.rollout_settings({}) == RolloutSettings()
    own, other = PlayerSettings(1, 2, "tiny", 0.1), PlayerSettings(0, 2, "tiny", 0.2)
    said = {"plies": 1, "cube_plies": 2, "filter": "tiny", "noise": 0.1, "opponent_plies": 0, "opponent_noise": 0.2}
    said |= {"truncate": 9, "truncate_plies": 1, "later_plies": 1, "cubeless": True, "initial": False, "count": 3}
    later = replace(own, plies=1, cube_plies=0), replace(other, plies=1, cube_plies=0)
    assert settings.rollout_settings(said) == RolloutSettings(
        cubeful=False, players=(own, other), later=later, truncation=9, truncation_plies=1
    )
    with pytest.raises(SettingsError, match="truncation must be"):
        settings.rollout_settings({"truncate": -1})


def test_every_setting_is_an_option_of_some_command(sixprime) -> None:
    """And every command that may take one has it."""
    used = {key.name for key in KEYS.values() if key.parts[0] in ("thresholds", "play")}
    for command, sections in _settled._SECTIONS.items():
        assert command.split()[0] in _COMMANDS
        text = sixprime(*command.split(), "--help").out
        deep = dict.fromkeys(_settled._DEEP.get(command, ()), _settled.DEPTH)
        for section, names in [*sections.items(), *deep.items()]:
            own = [key for key in KEYS.values() if key.parts[0] == section and (key.parts[1] in names or not names)]
            used |= {key.name for key in own if f"--{key.parts[1].replace('_', '-')} " in text}
            # The command line can take back what is set.
            taken = [f"--no-{key.parts[1].replace('_', '-')} " for key in own if key.check is FLAG and key.name in used]
            assert [option for option in taken if option not in text] == []
    assert used == set(KEYS)


PLAY = {
    "name": "Ann",
    "opponent": "person",
    "length": 3,
    "variant": "nackgammon",
    "crawford": False,
    "cube_limit": 2,
    "dice": "isaac",
    "roll": False,
    "play_forced": True,
    "bear_off": True,
    "next_game": False,
    "tutor": True,
    "tutor_skill": "very bad",
    "tutor_chequer": False,
    "tutor_cube": False,
    "tutor_level": "expert",
    "tutor_book": True,
    "library": False,
    "reserve": 2.5,
    "delay": 12.0,
    "loses": False,
}
MONEY = {"length": 0, "jacoby": False, "beavers": 1, "automatic_doubles": 2}


def test_every_setting_of_play_is_heeded() -> None:
    played, built_in = settings.Playing(PlaySection(**PLAY)), settings.Playing()
    assert set(PLAY) | set(MONEY) == {key.parts[1] for key in KEYS.values() if key.parts[0] == "play"}
    assert played.rules == Rules(3, "nackgammon", False, cube_limit=2)
    assert settings.Playing(PlaySection(**MONEY)).rules == Rules(0, jacoby=False, beavers=1, automatic_doubles=2)
    assert built_in.rules == Rules(7)
    assert played.automation == Automation(False, True, True, False)
    assert built_in.automation == Automation()
    assert [type(seat) for seat in played.seats] == [Person, Person]
    assert played.seats[0].name == "Ann"
    assert built_in.seats[1].name == "Expert"
    assert (played.dice(5), type(built_in.dice())) == (GeneratedDice("isaac", "5"), SeededDice)
    assert (played.library, built_in.library) == (False, True)
    assert (played.clock, built_in.clock) == (Clock(150.0, 12.0, loses=False), Clock())
    adviser = played.adviser()
    plain = built_in.adviser()
    assert (adviser.engine.plies, plain.engine.plies) == (0, 2)
    assert plain.engine.book is None
    opening = opening_book().opening((3, 1))
    table = Table.from_position(opening.position, opening.state.with_dice(opening.dice))
    assert adviser.hint(table).best.equity == pytest.approx(opening.best.equity, abs=1e-6)
    assert plain.hint(table).best.equity != pytest.approx(opening.best.equity, abs=1e-6)
    assert played.tutor(adviser) == Tutor(adviser, Skill.VERY_BAD, False, False)
    assert (built_in.tutor(adviser), built_in.make_tutor(adviser)) == (None, Tutor(adviser))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("variant", "chess", "variant"),
        ("dice", "lottery", "dice must be one of system, mersenne"),
        ("tutor_skill", "awful", "doubtful, bad, very bad"),
        ("cube_limit", 3, "power of two"),
        ("reserve", 0, "reserve must be a number above 0"),
    ],
)
def test_settings_of_play_that_cannot_be(key: str, value: object, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        PlaySection(**{key: value})


def answer(sixprime, *arguments: str) -> dict:
    status, out, err = sixprime(*arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_commands_follow_the_settings(sixprime, file: Path) -> None:
    """The command line comes first, then the settings, then what is built in."""
    settings.change("engine.plies", 0)
    settings.change("hint.count", 3)
    plays = answer(sixprime, "hint", START, "31")["plays"]
    assert [play["plies"] for play in plays] == [0, 0, 0]
    assert len(answer(sixprime, "hint", START, "31", "--count", "2")["plays"]) == 2
    assert answer(sixprime, "eval", START)["plies"] == 0
    assert answer(sixprime, "eval", START, "--plies", "1")["plies"] == 1
    # The plies were set for another level than the one that is named.
    assert answer(sixprime, "eval", START, "--level", "world class")["plies"] == 2
    assert answer(sixprime, "cube", START)["plies"] == 0


def test_what_goes_into_the_library_is_judged_as_set(sixprime, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(file.parent))
    settings.change("engine.plies", 0)
    assert "0-ply" in sixprime("library", "add", str(sample_match())).out
    file.write_text('[engine]\nmet = "gone.xml"\n')
    assert "engine.met" in sixprime("library", "keep", START).err


def test_rows_wait_for_a_measurement_of_strength(sixprime, file: Path) -> None:
    settings.change("files.data", "/nope")
    assert sixprime("bench", "--seconds", "0.01").status == 0


def test_settings_called_as_commands_are_followed_too(sixprime, file: Path) -> None:
    id = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
    file.parent.mkdir()
    other = sixprime("eval", id, "--plies", "0", "--met", "zadeh", "--json").out
    assert sixprime("eval", id, "--plies", "0", "--json").out != other
    file.write_text('[engine]\nmet = "zadeh"\n[files]\ngnubg = "/nope"\n')
    assert sixprime("eval", id, "--plies", "0", "--json").out == other
    status, _, err = sixprime("duel", "standard@0", "gnubg@0", "--pairs", "1")
    assert (status, err) == (1, "sixprime: No GNU Backgammon found as /nope; give its place with --gnubg PATH.\n")


def test_rollouts_follow_the_settings(sixprime, file: Path, tmp_path: Path) -> None:
    settings.save(
        made({"rollout": {"trials": 36, "truncate": 3, "rotate": False, "seed": 7, "plies": 0, "noise": 0.0}})
    )
    saved = str(tmp_path / "saved.rollout")
    found = answer(sixprime, "rollout", START, "--save", saved)
    assert found["trials"] == 36
    assert (found["settings"]["truncation"], found["settings"]["rotate"], found["settings"]["seed"]) == (3, False, 7)
    assert answer(sixprime, "rollout", START, "--trials", "72", "--rotate")["settings"]["rotate"] is True
    # What is set is no option too many beside others.
    settings.change("rollout.truncate_plies", 0)
    settings.change("rollout.minimum", 36)
    assert answer(sixprime, "rollout", START, "--truncate", "2", "--cubeless")["settings"]["truncation"] == 2
    # What was begun goes on as it began.
    settings.change("rollout.trials", 72)
    settings.change("rollout.plies", 1)
    assert answer(sixprime, "rollout", saved) == found


def test_thresholds_of_an_analysis(sixprime, file: Path) -> None:
    before = answer(sixprime, "analyse", "--sample", "--plies", "0")
    settings.save(made({"thresholds": {"doubtful": 1e-6, "bad": 2e-6, "very_bad": 3e-6}, "analysis": {"plies": 0}}))
    after = answer(sixprime, "analyse", "--sample")
    assert after["settings"] == before["settings"] == "0-ply, Normal"
    assert "?! loses 1e-06 or more, ? 2e-06, ?? 3e-06." in sixprime("analyse", "--sample").out
    # What was judged and kept is shown as it is, whatever is set.
    kept = str(file.parent / "kept.sixprime")
    assert sixprime("analyse", "--sample", "--save", kept).status == 0
    assert sixprime("export", kept, "-o", str(file.parent / "kept.csv")).status == 0
    # Templates wait for a report.
    settings.change("files.templates", str(file.parent))
    assert answer(sixprime, "analyse", "--sample", "--reproducible") == after | {"seconds": 0.0}
    marks = [sum(player["play_marks"][3] for player in found["players"]) for found in (before, after)]
    assert marks[1] > 2 * marks[0]
    assert [decision["error"] for decision in after["decisions"]] == [each["error"] for each in before["decisions"]]


def test_a_wrong_file_stops_what_would_follow_it(sixprime, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[engine]\nplies = 9\n")
    for arguments in (("eval", START), ("settings",), ("settings", "unset", "engine.threads")):
        status, out, err = sixprime(*arguments)
        assert (status, out) == (1, "")
        assert err.startswith(f"sixprime: {file}:2: engine.plies must be")
    for arguments in (("settings", "path"), ("met", "--list"), ("--help",), ("settings", "unset", "engine.plies")):
        assert sixprime(*arguments)[0] == 0
    assert sixprime("settings").status == 0


def test_the_command(sixprime, file: Path) -> None:
    assert sixprime("settings", "path").out == f"{file}\n"
    assert sixprime("settings", "set", "engine.plies", "5").status == 2
    assert "[engine] has net, level," in sixprime("settings", "unset", "engine").err
    assert sixprime("settings", "set", "plies", "1").err.endswith("did you mean engine.plies?\n")
    assert sixprime("settings", "set", "rollout.noise", "0.5") == (0, "", f"Set in {file}\n")
    shown = sixprime("settings").out
    assert "  noise                0.5 " in shown
    assert "  seed                 (1) " in shown
    assert json.loads(sixprime("settings", "--json").out)["rollout"] == {"noise": 0.5}
    assert sixprime("settings", "unset", "rollout.noise").status == 0
    assert settings.load() == Settings()

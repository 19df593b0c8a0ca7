"""Network files: what is written is read back, and what is wrong with a file is said."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as to_bytes

from sixprime import kernels
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels.features import behinds, masks
from sixprime.nets import file, race
from sixprime.nets.params import Params, Spec, fold, initial, joined, widened
from sixprime.train import fit
from sixprime.train.starts import starts

SPECS = {
    "contact": Spec(8, True, True, 3, True),
    "race": Spec(6, False, False),
    "pruner": Spec(4, False, True),
    "back": Spec(10, True, True, 2, True),
}
NETS = {name: initial(spec, seed) for seed, (name, spec) in enumerate(SPECS.items())}
HEADER = {"name": "tiny", "seed": 7, "recipe": 'name = "tiny"\n', "strength": {"loss": 12.5}}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "new folder" / "net.safetensors"
    file.save(path, NETS, HEADER)
    return path


def rewrite(path: Path, **changes: Any) -> None:
    """Writes the file anew with other arrays (None: without it) or other texts of its header."""
    arrays: dict[str, Any] = dict(file.to_arrays(NETS))
    shapes = {name: asdict(spec) for name, spec in SPECS.items()}
    texts = {"format": file.FORMAT, "nets": json.dumps(shapes), "header": "{}"}
    for name, value in changes.items():
        (texts if name in texts else arrays)[name.replace("__", ".")] = value
    path.write_bytes(to_bytes({k: a for k, a in arrays.items() if a is not None}, texts))


@pytest.mark.parametrize("missing", [(), ("back",)])
@pytest.mark.parametrize("packed", [False, True])
def test_round_trip(tmp_path: Path, packed: bool, missing: tuple[str, ...]) -> None:
    path = tmp_path / "net.safetensors"
    nets = {name: params for name, params in NETS.items() if name not in missing}
    file.save(path, nets, HEADER, packed=packed)
    read = file.load(str(path))
    assert read.header == HEADER
    assert re.fullmatch("[0-9a-f]{16}", read.checksum)
    assert (read.back is None) == bool(missing)
    for name, params in nets.items():
        found: Params = getattr(read, name)
        assert file.spec_of(found) == SPECS[name]
        for field in ("rows", "bias", "head", "head_bias", "top"):
            array, expected = getattr(found, field), getattr(params, field)
            assert array.dtype == np.float32
            assert array.flags.c_contiguous
            assert array.flags.writeable
            if not packed:
                assert np.array_equal(array, expected)
            elif (name, field) not in {("contact", "rows"), ("back", "rows")}:
                assert np.array_equal(array, expected.astype(np.float16).astype(np.float32))
        assert np.isfinite(fold(found).rows).all()


@pytest.mark.parametrize("hidden", [8, 32, 80])
def test_packed_rows_keep_eight_bits_of_each_block(tmp_path: Path, hidden: int) -> None:
    """No weight is off by more than half a step; what is packed already stays as it is."""
    random = np.random.default_rng(hidden)
    params = initial(Spec(hidden, True, True), 3)
    params.rows[:] = random.normal(size=params.rows.shape) * 10.0 ** random.integers(-1, 2, (len(params.rows), 1))
    params.rows[5] = 0
    file.save(tmp_path / "net", {**NETS, "contact": params}, {}, packed=True)
    found = file.load(tmp_path / "net").contact.rows
    for first in range(0, hidden, 32):
        block = params.rows[:, first : first + 32]
        step = np.abs(block).max(axis=1) / 127
        assert (np.abs(found[:, first : first + 32] - block).max(axis=1) <= 0.57 * step).all()
    file.save(tmp_path / "again", {**NETS, "contact": params._replace(rows=found)}, {}, packed=True)
    assert np.array_equal(file.load(tmp_path / "again").contact.rows, found)


@pytest.mark.parametrize("hidden", [8, 33, 80])
@pytest.mark.parametrize("descends", [True, False])
def test_packed_rows_of_back_games_keep_what_differs(tmp_path: Path, hidden: int, descends: bool) -> None:
    """Five bits of the difference from the contact net where that is small, else eight of the rows."""
    random = np.random.default_rng(5)
    contact, back = initial(Spec(hidden, True, True), 1), initial(Spec(hidden, True, True), 2)
    for params in (contact, back):
        params.rows[:] = random.normal(0, 0.1, params.rows.shape)
    if descends:
        back.rows[:] = contact.rows + random.normal(0, 0.03, back.rows.shape)
        back.rows[7] = contact.rows[7]
    file.save(tmp_path / "net", {**NETS, "contact": contact, "back": back}, {}, packed=True)
    read = file.load(tmp_path / "net")
    assert read.back is not None
    found = read.back.rows
    base, most = (read.contact.rows, 15) if descends else (0, 127)
    for first in range(0, hidden, 32):
        part = np.s_[:, first : first + 32]
        step = np.abs((back.rows - base)[part]).max(axis=1) / most
        assert (np.abs((found - back.rows)[part]).max(axis=1) <= 0.57 * step + 1e-5).all()
    # Either way it judges nearly alike: the last weights are off by little.
    assert np.sqrt(np.square(found - back.rows).mean()) < 0.0025


def test_packing_takes_a_quarter_of_the_room(tmp_path: Path) -> None:
    nets = {**NETS, "contact": initial(Spec(64, True, True), 1)}
    sizes = []
    for packed in (False, True):
        file.save(tmp_path / "net", nets, HEADER, packed=packed)
        sizes.append((tmp_path / "net").stat().st_size)
    assert sizes[1] < 0.28 * sizes[0]


def test_a_file_is_written_whole_or_not_at_all(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = written.read_bytes()

    def broken(self: Path, target: Path) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="no room"):
        file.save(written, NETS, {"name": "other"})
    assert written.read_bytes() == before
    assert list(written.parent.iterdir()) == [written]


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"Cannot read the network file .*none.*No such file"):
        file.load(tmp_path / "none")
    with pytest.raises(DataFileError, match="Cannot read"):
        file.load(tmp_path)


@pytest.mark.parametrize("length", [0, 5, 8, 100, -1, -4000])
def test_truncated(written: Path, length: int) -> None:
    written.write_bytes(written.read_bytes()[:length])
    with pytest.raises(DataFileError, match=r"net\.safetensors is not a network file of Sixprime, or it is damaged"):
        file.load(written)


def test_no_network_at_all(tmp_path: Path) -> None:
    path = tmp_path / "net"
    for data in (b"GNU Backgammon 1.01", b"\xff" * 200, b"[" * 100_000, b"\0" * 64, to_bytes({"a": np.zeros(3)})):
        path.write_bytes(data)
        with pytest.raises(DataFileError, match="is not a network file"):
            file.load(path)


def test_damaged_anywhere(written: Path) -> None:
    """A flipped byte of the header is an error or harmless text; never another kind of exception."""
    data = written.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    random = np.random.default_rng(1)
    failed = 0
    for place in random.integers(0, end, 300):
        damaged = bytearray(data)
        damaged[place] ^= int(random.integers(1, 256))  # another byte, whatever it was
        written.write_bytes(damaged)
        try:
            file.load(written)
        except DataFileError as error:
            failed += 1
            assert str(written) in str(error)  # noqa: PT017 - most bytes fail, some do not
    assert failed > 100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "sixprime-net-9"}, "network format 'sixprime-net-9' found; 'sixprime-net-2', 'sixprime"),
        ({"nets": "{}"}, "does not say what the contact net is like"),
        ({"nets": "3"}, "does not say what the contact net is like"),
        ({"nets": '{"contact": {"hidden": Infinity, "rear": 1, "pairs": 1}}'}, "does not say what the contact net"),
        ({"nets": "nonsense"}, "is not a network file"),
        (
            {"nets": '{"contact": {"hidden": 0, "rear": 1, "pairs": 1}}'},
            r"the contact net is like \(hidden must be",
        ),
        ({"header": "[1]"}, "is not a network file"),
        ({"back__head": None}, r"the back net is incomplete, back\.head is missing"),
        ({"race__head": None}, r"the race net is incomplete, race\.head is missing"),
        ({"race__head": np.zeros((6, 5), np.float32)}, r"race\.head has shape \(6, 5\), expected \(5, 6\)"),
        ({"contact__rows": np.zeros((10, 8), np.float32)}, r"contact\.rows has shape \(10, 8\), expected \(8436, 8\)"),
        ({"pruner__bias": np.full(4, np.nan, np.float32)}, r"pruner\.bias holds values that are not finite"),
        ({"pruner__bias": np.full(4, np.inf, np.float16)}, r"pruner\.bias holds values that are not finite"),
        ({"pruner__bias": np.full(4, 1e300)}, r"pruner\.bias holds values that are not finite"),
    ],
)
def test_wrong_contents(written: Path, changes: dict[str, Any], message: str) -> None:
    rewrite(written, **changes)
    with pytest.raises(DataFileError, match=message) as caught:
        file.load(written)
    assert str(written) in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contact__rows": None}, r"contact\.rows is no table of whole numbers of eight bits"),
        ({"contact__rows": np.zeros((8436, 8), np.float32)}, r"contact\.rows is no table of whole numbers"),
        ({"contact__rows": np.zeros(8, np.int8)}, r"contact\.rows is no table of whole numbers"),
        ({"contact__rows": np.zeros((10, 8), np.int8)}, r"rows\.scales must be float16 \(10, 1\)\. Got float16 \(8436"),
        ({"contact__rows.scales": None}, r"rows\.scales must be float16 \(8436, 1\)\. Got nothing instead"),
        ({"contact__rows.scales": np.zeros((8436, 1), np.float32)}, r"scales must be .* Got float32 \(8436, 1\)"),
        ({"contact__rows.scales": np.zeros((8436, 2), np.float16)}, r"scales must be .* Got float16 \(8436, 2\)"),
        ({"contact__rows": np.ones((8436, 8), np.uint8)}, r"contact\.rows is no table of whole numbers"),
        ({"back__rows": np.ones((8436, 7), np.uint8)}, r"back\.rows has shape .* expected .* beside contact\.rows"),
        ({"back__rows": np.ones((8436, 20), np.uint8)}, r"back\.rows has shape .* expected .* beside contact\.rows"),
        ({"back__rows": np.ones((0, 7), np.uint8)}, r"back\.rows has shape \(0, 7\), expected \(8436, 7\)"),
        ({"back__rows.scales": None}, r"back\.rows\.scales must be float16 \(8436, 1\)\. Got nothing instead"),
        ({"contact__rows.scales": np.full((8436, 1), np.inf, np.float16)}, r"contact\.rows\.scales holds values that"),
    ],
)
def test_wrong_contents_of_packed_files(written: Path, changes: dict[str, Any], message: str) -> None:
    whole = {"contact__rows": np.ones((8436, 8), np.int8), "contact__rows.scales": np.ones((8436, 1), np.float16)}
    whole |= {"back__rows": np.ones((8436, 10), np.int8), "back__rows.scales": np.ones((8436, 1), np.float16)}
    rewrite(written, format="sixprime-net-2-packed", **whole)
    assert (file.load(written).contact.rows == 1).all()
    rewrite(written, format="sixprime-net-2-packed", **{**whole, **changes})
    with pytest.raises(DataFileError, match=message) as caught:
        file.load(written)
    assert str(written) in str(caught.value)


def test_the_older_format_judges_by_the_rearmost_chequer(written: Path) -> None:
    """26 corrections of each side stood for the other's rearmost chequer, whatever else it held."""
    random = np.random.default_rng(8)
    rest, older = random.normal(size=(8436 - 2 * 47 * 78, 8)), random.normal(size=(2, 26, 78, 8))
    rows = np.concatenate((rest[:240], older.reshape(-1, 8), rest[240:])).astype(np.float32)
    rewrite(written, format="sixprime-net-1", contact__rows=rows)
    found = file.load(written).contact.rows
    assert np.array_equal(np.delete(found, np.s_[240 : 240 + 2 * 47 * 78], axis=0), rest.astype(np.float32))
    newer = found[240 : 240 + 2 * 47 * 78].reshape(2, 47, 78, 8)
    met = set()
    for board in kernels.swap(starts(6, np.arange(400), "back games")):
        sides = [max(int(n), 0) for n in board[1:26]], [max(-int(board[25 - p]), 0) for p in range(1, 25)] + [board[0]]
        rears = [max(p for p in range(1, 26) if side[p - 1]) for side in sides]
        for side, behind in enumerate(behinds(*masks(board))):
            met.add(behind)
            for facing in (0, 1):
                assert np.array_equal(newer[facing, behind], older[facing, rears[side]].astype(np.float32))
    assert len(met) > 40


def test_rows_of_the_older_format_that_do_not_fit(written: Path) -> None:
    rewrite(written, format="sixprime-net-1", contact__rows=np.zeros((10, 8), np.float32))
    with pytest.raises(DataFileError, match=r"contact\.rows has shape \(10, 8\)"):
        file.load(written)


def test_other_arrays_in_the_file_do_no_harm(written: Path) -> None:
    rewrite(written, more=np.zeros(3))
    assert file.load(written).header == {}


def test_a_folder_with_the_name_of_a_net_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small").mkdir()
    assert file.load("small").checksum == file.load(file.SMALL).checksum


def test_the_packaged_net() -> None:
    net = file.load()
    assert file.load(file.DEFAULT).checksum == net.checksum
    assert {"name", "seed", "recipe"} <= set(net.header)


@pytest.mark.parametrize("wide", [Spec(12, True, True, 5, True), Spec(12, True, True, 3, True), SPECS["contact"]])
def test_a_widened_net_judges_alike(wide: Spec) -> None:
    narrow = NETS["contact"]
    params = widened(narrow, wide, 5)
    assert file.spec_of(params) == wide
    boards = starts(3, np.arange(20))
    outputs = np.empty((2, len(boards), 5), dtype=np.float32)
    fit.predict(narrow, boards, outputs[0])
    fit.predict(params, boards, outputs[1])
    assert outputs[1] == pytest.approx(outputs[0], abs=1e-6)
    # What is new can learn: it says different things of different boards.
    more = initial(wide, 5).rows[:, 4 : wide.features]
    assert np.array_equal(params.rows[:, 4 : wide.features], more)


@pytest.mark.parametrize(
    "other", [Spec(6, True, True, 3, True), Spec(12, True, True, 2, True), Spec(12, True, True, 3)]
)
def test_only_a_larger_shape_of_the_same_kind_can_be_had(other: Spec) -> None:
    with pytest.raises(SettingsError, match="more hidden units"):
        widened(NETS["contact"], other, 5)


@pytest.mark.parametrize(
    "specs",
    [
        [Spec(8, True, True, 3, True), Spec(12, True, True, 5, True), Spec(4, True, True, 0, True)],
        [Spec(5, True, False, 2), Spec(6, True, False)],
    ],
)
def test_joined_nets_say_the_mean_of_what_each_says(specs: list[Spec]) -> None:
    """Of the logits; a net beside itself judges as it does alone."""
    nets = [initial(spec, seed) for seed, spec in enumerate(specs)]
    boards = starts(4, np.arange(50))
    logits = []
    for params in (*nets, joined(nets), joined([nets[0], nets[0]])):
        outputs = np.empty((len(boards), 5), dtype=np.float32)
        fit.predict(params, boards, outputs)
        logits.append(np.log(outputs / (1 - outputs)))
    assert logits[-2] == pytest.approx(np.mean(logits[:-2], axis=0), abs=1e-5)
    assert logits[-1] == pytest.approx(logits[0], abs=1e-5)
    shape = file.spec_of(joined(nets))
    assert (shape.hidden, shape.second) == (sum(s.hidden for s in specs), sum(s.second for s in specs))


def test_only_nets_of_one_kind_can_be_joined() -> None:
    for other in (Spec(8, True, True, 3), Spec(8, False, True, 3, True), Spec(8, True, False, 3, True)):
        with pytest.raises(SettingsError, match="only be joined when"):
            joined([NETS["contact"], initial(other, 1)])


def test_equal_nets_are_one_file_and_one_identity(tmp_path: Path) -> None:
    """Whatever the order in memory and the words about them; a weight more or less, or its meaning, is another net."""
    nets = {"contact": initial(Spec(8, True, True), 1), "race": initial(Spec(4, False, False), 2)}
    nets["pruner"] = initial(Spec(4, False, False), 3)
    files = [tmp_path / f"{number}.safetensors" for number in range(6)]
    for path in files:
        file.save(path, nets, {"name": "a", "seed": 1})
    assert len({path.read_bytes() for path in files}) == 1
    known = file.load(files[0]).checksum
    file.save(files[1], dict(reversed(nets.items())), {"name": "other words"})
    assert file.load(files[1]).checksum == known
    bias = nets["race"].bias.copy()
    bias[0] = np.nextafter(bias[0], np.float32(1))
    file.save(files[2], {**nets, "race": nets["race"]._replace(bias=bias)}, {})
    file.save(files[3], {**nets, "race": nets["pruner"], "pruner": nets["race"]}, {})
    file.save(files[4], {**nets, "back": nets["contact"]}, {})
    assert len({file.load(path).checksum for path in files[1:5]}) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contact": None}, "contact must be a Params. Got None"),
        (
            {"race": NETS["race"]._replace(head=NETS["race"].head[:4])},
            r"race.head has shape \(4, 6\), expected \(5, 6\)",
        ),
        ({"pruner": NETS["pruner"]._replace(bias=[0.0])}, "pruner.bias must be an array"),
        (
            {"pruner": NETS["pruner"]._replace(bias=np.zeros(4))},
            "pruner.bias must be float32 with 1 axes. Got float64 with",
        ),
        # Of other inputs there are as many rows: the kernels would write behind their arrays.
        ({"back": NETS["back"]._replace(rear=0)}, "back.rows has shape .*, expected .*"),
        ({"back": NETS["back"]._replace(pairs="x")}, "back.pairs must be a whole number from 0 to 1"),
        (
            {"race": NETS["race"]._replace(head=NETS["race"].head * np.float32(np.nan))},
            "race.head holds values that are not finite numbers",
        ),
    ],
    ids=str,
)
def test_nets_that_fit_nothing_are_refused(written: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        replace(file.load(written), **changes)


def test_nets_that_do_not_fit_are_not_folded() -> None:
    net, other = NETS["back"], NETS["race"]
    for odd in (net._replace(rear=0), net._replace(bias=net.bias[:1]), net._replace(head=net.head[:, ::2]), None):
        with pytest.raises(SettingsError, match="params"):
            fold(odd)  # type: ignore[arg-type]
    for one, into in ((net, other), (other, net)):
        with pytest.raises(SettingsError, match="of the same shape"):
            fold(one, into=fold(into))
    for odd in (net._replace(bias=net.bias[:1]), 3):
        with pytest.raises(SettingsError, match="params"):
            widened(odd, Spec(64, True, True), 1)  # type: ignore[arg-type]
        with pytest.raises(SettingsError, match=r"nets\[1\]"):
            joined([net, odd])  # type: ignore[list-item]
        with pytest.raises(SettingsError, match="contact"):
            file.save("nowhere", {"contact": odd}, {})  # type: ignore[dict-item]
    for use in (lambda: joined([]), lambda: widened(net, 3, 1), lambda: initial(Spec(32, True, True), -1)):  # type: ignore
        with pytest.raises(SettingsError, match="must be"):
            use()
    for shape in ({"hidden": 3.5}, {"hidden": 0}, {"second": -1}, {"rear": "x"}):
        with pytest.raises(SettingsError, match="must be"):
            replace(Spec(32, True, True), **shape)


def test_another_weight_makes_another_net(written: Path) -> None:
    known = file.load(written)
    assert replace(known, header={}).checksum == known.checksum
    other = known.race._replace(bias=known.race.bias + 1)
    assert replace(known, race=other).checksum != known.checksum


def test_a_packed_net_is_the_same_net_unpacked(tmp_path: Path) -> None:
    packed = file.load("small")
    nets = {"contact": packed.contact, "race": packed.race, "pruner": packed.pruner}
    file.save(tmp_path / "plain.safetensors", nets, packed.header)
    assert file.load(tmp_path / "plain.safetensors").checksum == packed.checksum


def test_race_nets_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    nets = race.load()
    saved = set()
    for number in range(6):
        race.save(tmp_path / str(number), nets["finish"], nets["first"], "note")
        saved.add((tmp_path / str(number)).read_bytes())
    assert len(saved) == 1

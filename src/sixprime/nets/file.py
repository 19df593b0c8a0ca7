"""Network files: safetensors with a header that says what the net is and how it was made.

One file holds the nets of a brain: contact, race, the small pruning net of inner plies and, if back games have one of
their own, that, as trainable parameters, so that a file can both be played with and trained on. They are float32; or,
packed to ship, the large tables of contact and back games are whole numbers of a few bits with a scale for every block
of a row, and all others are float16.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import reading
from sixprime.errors import DataFileError, SettingsError
from sixprime.nets.names import SHIPPED, path_of
from sixprime.nets.params import NEW_ROWS, WEIGHTS, Params, Spec, check, shapes_of, spec_of, with_points_behind
from sixprime.paths import write
from sixprime.reading import parse_json

FORMAT = "sixprime-net-2"
OLDER = "sixprime-net-1"
"""Format of nets whose points know of the other side's rearmost chequer only; they are read, too."""
PACKED = "sixprime-net-2-packed"
BLOCK = 32
"""Weights of a row that share a scale in packed files."""
NETS = ("contact", "race", "pruner", "back")
OPTIONAL = ("back",)
"""Those that a file need not have."""
_BITS = 5
_MOST = 2 ** (_BITS - 1) - 1
"""Bits of what a packed table of back games differs by, and the most steps that they count either way."""
DEFAULT = SHIPPED / "standard.safetensors"
SMALL = SHIPPED / "small.safetensors"


@dataclass(frozen=True, slots=True)
class NetFile:
    """The nets of a file, its header (recipe, seed, strength, ...) and their `checksum`.

    Raises SettingsError for what are no nets, and for arrays that do not fit each other.
    """

    contact: Params
    race: Params
    pruner: Params
    back: Params | None
    header: dict[str, Any]
    checksum: str = field(init=False)

    def __post_init__(self) -> None:
        nets = {name: getattr(self, name) for name in NETS if name not in OPTIONAL or getattr(self, name) is not None}
        for name, net in nets.items():
            check(name, net)
        object.__setattr__(self, "checksum", checksum(nets))


def save(path: Path | str, nets: dict[str, Params], header: dict[str, Any], *, packed: bool = False) -> None:
    """Writes nets by their names to `path`, whole or not at all; `packed` takes about a quarter of the room.

    Raises OSError, and SettingsError for nets that could not be read again.
    """
    for name, net in nets.items():
        check(name, net)
    dtype = np.float16 if packed else np.float32
    tensors = {name: np.ascontiguousarray(array, dtype=dtype) for name, array in to_arrays(nets).items()}
    if packed:
        tensors |= _packed_tables(nets)
    shapes = {name: asdict(spec_of(net)) for name, net in nets.items()}
    metadata = {"format": PACKED if packed else FORMAT, "nets": json.dumps(shapes), "header": json.dumps(header)}
    write(Path(path), to_bytes(tensors, metadata))


def to_bytes(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """A file of safetensors; of equal content equal bytes, since its metadata stands in order."""
    from safetensors.numpy import save as packed

    data = packed(dict(tensors), dict(metadata))
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    return len(text).to_bytes(8, "little") + text + data[start:]


def from_bytes(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Tensors and metadata of a file of safetensors. Raises ValueError."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpacked

    try:
        found = unpacked(data)
        metadata = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    except (SafetensorError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(metadata, dict):
        raise ValueError("metadata that are no table")
    if strange := [name for name, array in found.items() if array.dtype.kind not in "fiu"]:
        raise ValueError(f"{strange[0]} holds no plain numbers")
    return found, metadata


def checksum(nets: Mapping[str, Params]) -> str:
    """What tells nets apart: the first digits of the SHA-256 of their weights and shapes, however a file holds them."""
    digest = hashlib.sha256()
    for name in sorted(nets):
        digest.update(f"{name} {spec_of(nets[name])}\n".encode())
    for name, array in sorted(to_arrays(nets).items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def _packed_tables(nets: Mapping[str, Params]) -> dict[str, NDArray[Any]]:
    """The large tables as steps of scales. That of back games, if it has come from the contact net's, is the difference
    from it, which a few bits tell: each step is raised to 0 or more, and a row is one string of bits."""
    contact = _pack(nets["contact"].rows, 127)
    tensors: dict[str, NDArray[Any]] = dict(zip(("contact.rows", "contact.rows.scales"), contact, strict=True))
    if back := nets.get("back"):
        base = _scaled(*contact)
        if base.shape == back.rows.shape and np.std(back.rows - base) < 0.4 * np.std(back.rows):
            steps, scales = _pack(back.rows - base, _MOST)
            bits = np.unpackbits((steps + _MOST).astype(np.uint8)[..., None], axis=2)[..., 8 - _BITS :]
            tensors |= {"back.rows": np.packbits(bits.reshape(len(bits), -1), axis=1), "back.rows.scales": scales}
        else:
            tensors |= dict(zip(("back.rows", "back.rows.scales"), _pack(back.rows, 127), strict=True))
    return tensors


def _pack(rows: NDArray[np.float32], most: int) -> tuple[NDArray[Any], NDArray[np.float16]]:
    """Rows as steps of scales, `int8[R, H]` and `float16[R, ceil(H / BLOCK)]`; `most` are the largest of a block."""
    blocks = np.pad(rows, ((0, 0), (0, -rows.shape[1] % BLOCK))).reshape(len(rows), -1, BLOCK)
    scales = (np.abs(blocks).max(axis=2) / most).astype(np.float16)
    steps = np.rint(blocks / np.where(scales > 0, scales, 1).astype(np.float32)[..., None]).clip(-most, most)
    return np.ascontiguousarray(steps.reshape(len(rows), -1)[:, : rows.shape[1]], dtype=np.int8), scales


def _scaled(steps: NDArray[np.int8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """The rows that `_pack` took, within half a step."""
    return np.asarray(steps * np.repeat(scales.astype(np.float32), BLOCK, axis=1)[:, : steps.shape[1]])


def _unpack(path: Path, name: str, width: int, arrays: dict[str, NDArray[Any]]) -> None:
    """Puts the rows of the net `name` in the place of their steps and scales. width: hidden units."""
    steps, scales = arrays.get(f"{name}.rows"), arrays.get(f"{name}.rows.scales")
    differs = steps is not None and name == "back" and steps.dtype == np.uint8
    if steps is None or steps.ndim != 2 or not (differs or steps.dtype == np.int8):
        raise DataFileError(f"{path}: {name}.rows is no table of whole numbers of eight bits.")
    if differs:
        base = arrays["contact.rows"]
        if (shape := (len(base), -(-width * _BITS // 8))) != steps.shape or base.shape[1] != width:
            raise DataFileError(f"{path}: {name}.rows has shape {steps.shape}, expected {shape} beside contact.rows.")
        bits = np.unpackbits(steps, axis=1, count=width * _BITS).reshape(len(steps), width, _BITS)
        bits = np.pad(bits, ((0, 0), (0, 0), (8 - _BITS, 0)))
        steps = np.packbits(bits, axis=2)[..., 0].astype(np.int8) - np.int8(_MOST)
    shape = len(steps), -(-steps.shape[1] // BLOCK)
    if scales is None or scales.shape != shape or scales.dtype != np.float16:
        found = "nothing" if scales is None else f"{scales.dtype} {scales.shape}"
        raise DataFileError(f"{path}: {name}.rows.scales must be float16 {shape}. Got {found} instead.")
    if not np.isfinite(scales).all():
        raise DataFileError(f"{path}: {name}.rows.scales holds values that are not finite numbers.")
    arrays[f"{name}.rows"] = _scaled(steps, scales) + (base if differs else 0)


def to_arrays(nets: Mapping[str, Params]) -> dict[str, NDArray[np.float32]]:
    """The arrays of all nets by their names in files, such as "contact.rows", but for empty ones; nothing is copied."""
    arrays = {f"{name}.{part}": getattr(nets[name], part) for name in nets for part in WEIGHTS}
    return {name: array for name, array in arrays.items() if array.size}


def from_arrays(path: Path, name: str, spec: Spec, arrays: Mapping[str, NDArray[Any]]) -> Params:
    """The net `name` of `to_arrays`, copied. Raises `DataFileError` naming `path` when anything is wrong with it."""
    checked: dict[str, NDArray[np.float32]] = {}
    for part, shape in shapes_of(spec).items():
        array = arrays.get(f"{name}.{part}") if 0 not in shape else np.empty(shape)
        if array is None:
            raise DataFileError(f"{path}: the {name} net is incomplete, {name}.{part} is missing.")
        if array.shape != shape:
            raise DataFileError(f"{path}: {name}.{part} has shape {array.shape}, expected {shape}.")
        with np.errstate(over="ignore"):
            floats = np.array(array, dtype=np.float32, order="C")
        if not np.isfinite(floats).all():
            raise DataFileError(f"{path}: {name}.{part} holds values that are not finite numbers.")
        checked[part] = floats
    return Params(**checked, rear=int(spec.rear), pairs=int(spec.pairs))


def load(path: Path | str = DEFAULT) -> NetFile:
    """Reads a network file, or the one of the package with this name ("small", "standard").

    Raises `DataFileError` when the file is missing, damaged, of another format, or its arrays do not fit.
    """
    path = path_of(path)
    try:
        data = reading.read_bytes(path, reading.NET)
    except OSError as error:
        raise DataFileError(f"Cannot read the network file {path}: {error.strerror}.") from error
    try:
        arrays, metadata = from_bytes(data)
        kind = metadata["format"]
        shapes, header = parse_json(metadata["nets"]), dict(parse_json(metadata["header"]))
    except (ValueError, LookupError, TypeError) as error:
        raise DataFileError(f"{path} is not a network file of Sixprime, or it is damaged ({error}).") from error
    if kind not in (FORMAT, PACKED, OLDER):
        raise DataFileError(f"{path}: network format {kind!r} found; {FORMAT!r}, {PACKED!r} or {OLDER!r} expected.")
    specs = {name: _spec(path, name, shapes) for name in NETS if name not in OPTIONAL or name in shapes}
    if kind == PACKED:
        for name in ("contact", "back"):
            if name in specs:
                _unpack(path, name, specs[name].hidden, arrays)
    if kind == OLDER:
        arrays = {name: _modern(name, specs, array) for name, array in arrays.items()}
    nets = {name: from_arrays(path, name, spec, arrays) for name, spec in specs.items()}
    back = nets.pop("back", None)
    return NetFile(**nets, back=back, header=header)


def _modern(name: str, specs: Mapping[str, Spec], array: NDArray[Any]) -> NDArray[Any]:
    """An array of the older format, such as "contact.rows", in the present one; what is wrong is left as it is."""
    net, _, part = name.partition(".")
    spec = specs.get(net)
    if spec is None or part != "rows" or not spec.rear or array.shape != (spec.rows - NEW_ROWS, spec.hidden):
        return array
    return with_points_behind(array)


def _spec(path: Path, name: str, shapes: Any) -> Spec:
    """Shape of the net `name` by the file's header."""
    try:
        shape = shapes[name]
        second, products = int(shape.get("second", 0)), bool(shape.get("products", False))
        return Spec(int(shape["hidden"]), bool(shape["rear"]), bool(shape["pairs"]), second, products)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, SettingsError) as error:
        raise DataFileError(f"{path}: the header does not say what the {name} net is like ({error}).") from error

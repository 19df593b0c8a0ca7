"""Network files: safetensors with a header that says what the net is and how it was made.

One file holds the three nets of a brain: contact, race and the small pruning net of inner plies, as
trainable parameters (float32, or float16 to ship), so that a file can both be played with and trained on.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sixprime.errors import DataFileError
from sixprime.nets.params import Params, Spec

FORMAT = "sixprime-net-1"
NETS = ("contact", "race", "pruner")
DEFAULT = Path(__file__).parent / "data" / "standard.safetensors"
"""The net that ships with the package."""


@dataclass(frozen=True, slots=True)
class NetFile:
    """The nets of a file, its header (recipe, seed, strength, ...) and the first digits of its SHA-256."""

    contact: Params
    race: Params
    pruner: Params
    header: dict[str, Any]
    checksum: str


def spec_of(params: Params) -> Spec:
    """The shape that `params` have."""
    return Spec(params.rows.shape[1], bool(params.rear), bool(params.pairs))


def save(path: Path | str, nets: dict[str, Params], header: dict[str, Any], *, half: bool = False) -> None:
    """Writes the three nets to `path`, whole or not at all; `half` stores them as float16."""
    from safetensors.numpy import save as to_bytes

    dtype = np.float16 if half else np.float32
    tensors = {
        f"{name}.{field}": np.ascontiguousarray(getattr(nets[name], field), dtype=dtype)
        for name in NETS
        for field in ("rows", "bias", "head", "head_bias")
    }
    shapes = {name: {"hidden": s.hidden, "rear": s.rear, "pairs": s.pairs} for name, s in _specs(nets).items()}
    metadata = {"format": FORMAT, "nets": json.dumps(shapes), "header": json.dumps(header)}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(to_bytes(tensors, metadata))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _specs(nets: dict[str, Params]) -> dict[str, Spec]:
    return {name: spec_of(nets[name]) for name in NETS}


def load(path: Path | str = DEFAULT) -> NetFile:
    """Reads a network file.

    Raises `DataFileError` when the file is missing, damaged, of another format, or its arrays do not fit.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataFileError(f"Cannot read the network file {path}: {error.strerror}.") from error
    try:
        length = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + length])["__metadata__"]
        tensors = from_bytes(data)
        kind = metadata["format"]
        shapes, header = json.loads(metadata["nets"]), json.loads(metadata["header"])
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path} is not a network file of Sixprime, or it is damaged ({error}).") from error
    if kind != FORMAT:
        raise DataFileError(f"{path}: network format {kind!r} found, {FORMAT!r} expected.")
    nets = {name: _params(path, name, shapes, tensors) for name in NETS}
    return NetFile(**nets, header=header, checksum=hashlib.sha256(data).hexdigest()[:16])


def _params(path: Path, name: str, shapes: dict[str, Any], tensors: dict[str, Any]) -> Params:
    """One net of the file, after a check of every shape and value."""
    try:
        spec = Spec(int(shapes[name]["hidden"]), bool(shapes[name]["rear"]), bool(shapes[name]["pairs"]))
        expected = {
            "rows": (spec.rows, spec.hidden),
            "bias": (spec.hidden,),
            "head": (5, spec.hidden),
            "head_bias": (5,),
        }
        arrays = {field: tensors[f"{name}.{field}"] for field in expected}
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{path}: the {name} net is missing or incomplete ({error}).") from error
    for field, shape in expected.items():
        array = arrays[field]
        if array.shape != shape:
            raise DataFileError(f"{path}: {name}.{field} has shape {array.shape}, expected {shape}.")
        if not np.isfinite(array).all():
            raise DataFileError(f"{path}: {name}.{field} holds values that are not numbers.")
    floats = {field: np.ascontiguousarray(array, dtype=np.float32) for field, array in arrays.items()}
    return Params(**floats, rear=int(spec.rear), pairs=int(spec.pairs))

"""`sixprime signatures`: who vouches for an OGXM file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime.cli._common import Flag, UsageError, check_target, note, print_json
from sixprime.cli._output import must_write_files
from sixprime.paths import write


def signatures(
    file: Path,
    /,
    *,
    trusted: Annotated[tuple[Path, ...], Parameter(metavar="KEY", show_default=False)] = (),
    sign: Annotated[Path | None, Parameter(metavar="KEY")] = None,
    key_id: Annotated[str, Parameter(metavar="NAME", show_default=False)] = "",
    out: Annotated[Path | None, Parameter(alias="-o", metavar="OUT")] = None,
    json: Flag = False,
) -> int:
    """Say by whom an OGXM file is signed, and whether rightly; sign it.

    Parameters
    ----------
    file
        An .ogxm file.
    trusted
        File of a public key that is trusted; with any, a signature by another key is not valid.
    sign
        File of the private key to sign the match and its analyses with; the result goes to --out.
    key_id
        What the signatures call the key.
    out
        Where the signed file goes; never over the one that is read.
    json
        Print one JSON object per signature.
    """
    from sixprime.formats import ogxm

    if (sign is None) != (out is None):
        raise UsageError("--sign KEY goes with --out OUT, the file that is written, and --out with --sign")
    if key_id and sign is None:
        raise UsageError("--key-id says what a new signature calls its key; it goes with --sign")
    known = [ogxm.read_key(key) for key in trusted]
    if sign is not None and out is not None:
        check_target(out, "--out")
        for read in (file, sign):
            if out.exists() and read.exists() and out.samefile(read):
                raise UsageError(f"--out {out} would replace a file that is read here; name another")
        must_write_files()
        write(out, ogxm.sign(file, ogxm.read_key(sign, private=True), key_id))
        note(f"Signed: {out}")
        file = out
    found = ogxm.signatures(file, known)
    for each in found:
        if json:
            print_json(asdict(each))
        else:
            print(
                f"{'valid' if each.valid else 'NOT VALID':<10} {each.of:<20} {each.key_id or '-':<20} {each.public_key}"
            )
    if not found and not json:
        print("no signatures")
    return 0 if all(each.valid for each in found) else 1

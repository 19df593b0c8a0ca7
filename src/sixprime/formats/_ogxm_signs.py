"""Signatures of OGXM files: who vouches for a match, or for an analysis of it, and whether rightly.

They are of the kind Ed25519. What they cover the codec says; keys are 32 bytes, as text in base64 or as PEM. Anybody
can sign: a signature that is sound says who did only where the key is one that is trusted.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from sixprime.errors import InvalidFileError
from sixprime.formats._ogxm_analysis import blocks_of
from sixprime.formats._ogxm_document import codec, items
from sixprime.formats._text import load

_KEY_SIZE, _SIGN_SIZE = 32, 64
_LARGEST_KEY = 10_000


@dataclass(frozen=True, slots=True)
class Signature:
    """What a file is signed with.

    of: "match", or the name of the program whose analysis it is. key_id: as the file names the key. public_key: in
    base64, "" where the file does not hold it. valid: it covers the bytes as they are, by its own key, or by one of
    those that are trusted where any are named.
    """

    of: str
    key_id: str
    public_key: str
    valid: bool


def signatures(path: str | Path, trusted: Sequence[bytes] = ()) -> list[Signature]:
    """The signatures of a file, in its order. trusted: public keys of 32 bytes; none for any key.

    Raises InvalidFileError when the file is no OGXM, or a library is missing.
    """
    library, signing = codec(str(path)), _signing(path)
    data = load(path)
    document = _document(library, data, path)
    keys = list(trusted) or None
    found = []
    for index, sign in enumerate(items(document, "match_signatures")):
        found.append(_named("match", sign, valid=signing.verify_match(data, index, keys)))
    for index, block in enumerate(blocks_of(document)):
        own = block.get("signature")
        if isinstance(own, dict):
            name = str(block.get("model_name") or block.get("model_id") or "analysis")
            found.append(_named(name, own, valid=signing.verify_analysis(data, index, keys)))
    return found


def sign(path: str | Path, key: bytes, key_id: str = "") -> bytes:
    """The bytes of a file with signatures over the match and over the analyses that have none.

    key: private, 32 bytes. Raises InvalidFileError as `signatures` does.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    library, signing = codec(str(path)), _signing(path)
    document = _document(library, load(path), path)
    private = Ed25519PrivateKey.from_private_bytes(key)
    public = base64.b64encode(private.public_key().public_bytes_raw()).decode()

    def filled(place: dict[str, Any], payload: Callable[[], bytes]) -> None:
        """Fills in a signature that is in its place already: what it covers may name the key."""
        place |= {"algorithm": "ed25519", "key_id": key_id or public[:16], "public_key": public}
        place["signature"] = base64.b64encode(bytes(_SIGN_SIZE)).decode()
        place["signature"] = base64.b64encode(private.sign(payload())).decode()

    for index, block in enumerate(blocks_of(document)):
        if not isinstance(block.get("signature"), dict):
            block["signature"] = {}
            filled(block["signature"], lambda index=index: signing.analysis_payload(document, index))  # type: ignore[misc]
    listed = document.setdefault("match_signatures", [])
    listed.append({})
    filled(listed[-1], lambda: bytes(signing.match_payload(document, len(listed) - 1)))
    try:
        return bytes(library.json_to_binary(document))
    except (RuntimeError, ValueError) as error:
        raise InvalidFileError(f"cannot be signed: {error}", path=str(path)) from None


def read_key(path: str | Path, *, private: bool = False) -> bytes:
    """The 32 bytes of a key in a file: PEM, base64, hexadecimal or the bytes alone. Raises InvalidFileError."""
    _signing(path)
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    data = load(path)[:_LARGEST_KEY]
    if len(data) == _KEY_SIZE:
        return data
    text = data.strip()
    try:
        if text.startswith(b"-----BEGIN"):
            if private:
                own = serialization.load_pem_private_key(text, None)
                if isinstance(own, ed25519.Ed25519PrivateKey):
                    return own.private_bytes_raw()
            else:
                other = serialization.load_pem_public_key(text)
                if isinstance(other, ed25519.Ed25519PublicKey):
                    return other.public_bytes_raw()
        else:
            found = (
                bytes.fromhex(text.decode()) if len(text) == 2 * _KEY_SIZE else base64.b64decode(text, validate=True)
            )
            if len(found) == _KEY_SIZE:
                return found
    except (ValueError, TypeError, binascii.Error):
        pass
    kind = "private" if private else "public"
    raise InvalidFileError(f"holds no {kind} key of Ed25519, as PEM or 32 bytes in base64", path=str(path))


def _signing(path: str | Path) -> ModuleType:
    try:
        import cryptography  # noqa: F401
        from ogxm import signature  # type: ignore[import-untyped]
    except ImportError as error:
        message = f"signatures need the libraries ogxm and cryptography: pip install 'sixprime[ogxm]' ({error})"
        raise InvalidFileError(message, path=str(path)) from None
    found: ModuleType = signature
    return found


def _document(library: ModuleType, data: bytes, path: str | Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = library.binary_to_json(data)
    except (RuntimeError, ValueError):
        wrong = "is damaged" if library.is_ogxm_binary(data) else "is no OGXM file"
        raise InvalidFileError(wrong, path=str(path)) from None
    for index, block in enumerate(found.get("analyses_info", ())):
        if not index:
            found["analysis_info"] = block  # it stands there twice
    return found


def _named(of: str, sign: dict[str, Any], *, valid: bool) -> Signature:
    return Signature(of, str(sign.get("key_id", "")), str(sign.get("public_key", "")), valid)

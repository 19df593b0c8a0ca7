"""Runs the server until it is told to end."""

from __future__ import annotations

import asyncio
import secrets
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from sixprime.errors import SettingsError
from sixprime.web.app import create_app
from sixprime.web.guard import LOCAL, Access
from sixprime.web.house import House

_LONGEST = 3
"""Seconds that open streams are waited for at the end."""
_ALL = {"0.0.0.0": ("192.0.2.1", "127.0.0.1"), "::": ("2001:db8::1", "::1")}
"""Addresses that stand for all of a machine; beside each one outside, which nobody has, and its own."""
HEADERS, CONTENT = 20.0, 300.0
"""Seconds that the headers of a request may take, and what is sent with them."""


def access_for(host: str, *, token: str | None, names: Iterable[str] = (), secure: bool = False) -> Access:
    """Who is let in at an address. Raises SettingsError for none, and for a token that can be guessed."""
    if not host.strip():
        raise SettingsError("host must name an address, such as 127.0.0.1, or 0.0.0.0 for all of this machine.")
    if host in LOCAL:
        return Access(LOCAL, secure=secure)
    if token is not None and len(token) < 16:
        raise SettingsError("token must have at least 16 characters, or it can be guessed.")
    mine = socket.gethostname()
    hosts = {*LOCAL, *names, host.lower(), mine.lower(), f"{mine.lower()}.local"}
    return Access(frozenset(hosts), True, token or secrets.token_urlsafe(24), secure)


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8640,
    token: str | None = None,
    names: Iterable[str] = (),
    certificate: Path | None = None,
    certificate_key: Path | None = None,
    threads: int | None = None,
    started: Callable[[str], None] | None = None,
) -> None:
    """Serves until a signal. started: told the address once it answers. Raises SettingsError, OSError."""
    secure = certificate is not None
    if certificate is not None:
        _check_certificate(certificate, certificate_key)
    access = access_for(host, token=token, names=names, secure=secure)
    house = House(threads=threads, shared=access.token is not None)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise SettingsError(f"{host}, port {port} cannot be used: {getattr(error, 'strerror', error)}") from None
    config = config_of(create_app(house, access), ssl_certfile=certificate, ssl_keyfile=certificate_key)
    name = _outward(host) if host in _ALL else host
    if ":" in name:
        name = f"[{name}]"
    address = f"{'https' if secure else 'http'}://{name}:{listening.getsockname()[1]}/"
    if access.token is not None:
        house.address = address.rstrip("/")
        address += f"?token={access.token}"
    # The nets are loaded while the first page is.
    threading.Thread(target=_warm, args=(house,), daemon=True).start()
    if started is not None:
        listening.listen(128)
        started(address)
    with listening:
        _Server(config, house).run(sockets=[listening])


def _outward(host: str) -> str:
    """The address by which others reach this machine; its own where it has no network."""
    outside, own = _ALL[host]
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect((outside, 9))  # nothing is sent
            return str(asked.getsockname()[0])
        except OSError:
            return own


def config_of(app: ASGIApp, **more: Any) -> uvicorn.Config:
    """How an application is served; more: as uvicorn has it."""
    return uvicorn.Config(
        app,
        http=_Connection,
        log_level="warning",
        server_header=False,
        date_header=False,
        access_log=False,
        timeout_graceful_shutdown=_LONGEST,
        ws="none",
        **more,
    )


class _Connection(H11Protocol):
    """A connection that ends when a request does not come, or comes too slowly; uvicorn waits for ever."""

    _limit: float | None = None
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As asyncio has it."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """As asyncio has it."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """As uvicorn has it."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """As asyncio has it."""
        super().connection_lost(exc)
        self._until(None)

    def _wait(self) -> None:
        """Waits for what has to come next: headers, what is sent with them, or nothing while it is answered."""
        if self.cycle is None or self.cycle.response_complete:
            self._until(HEADERS)
        else:
            self._until(CONTENT if self.cycle.more_body else None)

    def _until(self, limit: float | None) -> None:
        """Ends the connection after so many seconds from when this was said first."""
        if limit == self._limit:
            return
        if self._late is not None:
            self._late.cancel()
        self._limit = limit
        self._late = None if limit is None else self.loop.call_later(limit, self.transport.close)


def _check_certificate(certificate: Path, key: Path | None) -> None:
    """Raises SettingsError for files that TLS cannot use."""

    def password() -> str:
        raise SettingsError(f"{key or certificate}: the key is locked by a password; give one that is not.")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password)
    except OSError as error:
        beside = "" if key is None else f" with the key {key}"
        reason = error.strerror
        if isinstance(error, ssl.SSLError):
            told = (error.reason or "").lower().replace("_", " ")
            reason = f"what is needed is a PEM file of a certificate and its own key{f' ({told})' if told else ''}"
        raise SettingsError(f"{certificate} cannot be used for TLS{beside}: {reason}.") from None


def _warm(house: House) -> None:
    """What goes wrong goes wrong again where the engine is asked, and is told there."""
    with suppress(Exception):
        assert house.engine
        assert house.coach


class _Server(uvicorn.Server):
    """A server that tells its house of the signal to end."""

    def __init__(self, config: uvicorn.Config, house: House) -> None:
        super().__init__(config)
        self._house = house

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """As uvicorn has it."""
        self._house.leave()
        super().handle_exit(sig, frame)

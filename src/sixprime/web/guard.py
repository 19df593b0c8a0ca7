"""Who may ask what: hosts, origins, tokens, sizes, and the headers of every answer.

A server on this machine answers to the names of this machine alone, or a page elsewhere could reach it under a name of
its own (DNS rebinding). Nothing is changed for a page of another origin. Where others can reach the server, they need
the token, or the key of a sitting they were invited to, which opens that sitting and no more.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

import msgspec
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sixprime.web import pages
from sixprime.web.messages import Problem, Refused

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of all pages: what they need is files of this server."""
BODY, UPLOAD = 1 << 18, 1 << 23
"""Bytes of the largest request, and of the largest file that is sent."""
COOKIE = "sixprime"
LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
_OPEN = re.compile(
    r"/static/|/play/[\w-]+$|/api/v1/sittings/[\w-]{20,}(/|$)|/api/v1/(about|compiling)$|/reports/[\w-]{20,}$"
    r"|/api/v1/reports/[\w-]{20,}(/events|/decisions|/files/[\w-]+)?$"
)
"""What needs no token: nothing in it is secret, or a key stands in it. Whoever has played may read the report."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Access:
    """hosts: names under which the server answers; literal: whether any IP address is one, too. token: what others
    need, None where only this machine can ask. secure: whether it speaks TLS."""

    hosts: frozenset[str] = LOCAL
    literal: bool = False
    token: str | None = None
    secure: bool = False

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self.hosts:
            return True
        try:
            return self.literal and bool(ipaddress.ip_address(name))
        except ValueError:
            return False


class TooLarge(Exception):
    """A request that goes on after its limit, raised where its body is read."""


class Guard:
    """The outermost of the server; all requests come through here."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            request = Request(scope)
            if refused[0] == 401 and pages.wanted(request):
                page = pages.page("lost", pages.language_of(request), "lost.token")
                await _send(send, 401, "text/html; charset=utf-8", page.encode())
            else:
                await _answer(send, *refused)
            return
        if scope["method"] == "GET" and not scope["path"].startswith("/api/") and self._given_by_link(scope):
            await self._open_link(scope, send)
            return
        limit = UPLOAD if scope["path"] == "/api/v1/reports" else BODY
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > limit:
            await _answer(send, 413, "too_large", f"At most {limit:,} bytes can be sent here.")
            return

        async def counted() -> Message:
            nonlocal limit
            message = await receive()
            limit -= len(message.get("body", b""))
            if limit < 0:
                raise TooLarge
            return message

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": self._dressed(scope, message.get("headers", []))}
            await send(message)

        await self._app(scope, counted, dressed)

    def _dressed(self, scope: Scope, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        names = {name.lower() for name, _ in given}
        more = dict(_HEADERS)
        if b"cache-control" not in names:
            more["cache-control"] = "no-store"
        if self._access.secure:
            more["strict-transport-security"] = "max-age=31536000"
        token = self._given_by_link(scope)
        if token is not None:
            secure = "; Secure" if self._access.secure else ""
            more["set-cookie"] = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/{secure}"
        added = [(name.encode(), value.encode()) for name, value in more.items() if name.encode() not in names]
        return [*given, *added]

    async def _open_link(self, scope: Scope, send: Send) -> None:
        """Leads to the page without the token, which then is in a cookie, and in no address that others might see."""
        rest = urlencode([part for part in parse_qsl(scope["query_string"].decode("latin-1")) if part[0] != "token"])
        place = f"/{quote(scope['path'].lstrip('/'))}" + (f"?{rest}" if rest else "")
        headers = self._dressed(scope, [(b"location", place.encode())])
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _given_by_link(self, scope: Scope) -> str | None:
        """The token of a link that was opened, if it is the right one."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return self._access.token if self._right(given) else None

    def _right(self, given: str) -> bool:
        token = self._access.token
        return token is not None and secrets.compare_digest(given.encode(), token.encode())

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """Status, code and sentence for what is not let in."""
        host, method, path = headers.get("host", ""), scope["method"], scope["path"]
        if not self._access.answers_to(host):
            return 403, "host", "This server does not go by that name."
        own = f"{'https' if self._access.secure else 'http'}://{host}"
        origin = headers.get("origin")
        if origin is not None and origin != own:
            return 403, "origin", "Pages of other servers cannot ask here."
        site = headers.get("sec-fetch-site", "none")
        if site in ("cross-site", "same-site") and (method != "GET" or headers.get("sec-fetch-mode") != "navigate"):
            return 403, "origin", "Pages of other servers cannot ask here."
        if self._access.token is None or _OPEN.match(path):
            return None
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(headers.get("cookie", ""))
        except Exception:  # whatever is wrong with a cookie, it opens nothing
            jar.clear()
        cookie = jar[COOKIE].value if COOKIE in jar else ""
        if self._right(bearer) or self._right(cookie) or self._given_by_link(scope) is not None:
            return None
        return 401, "token", "Open the link that sixprime web has printed: the token in it is missing here."


async def _answer(send: Callable[[Message], object], status: int, code: Any, message: str) -> None:
    await _send(send, status, "application/json", msgspec.json.encode(Refused(Problem(code, message))))


async def _send(send: Callable[[Message], object], status: int, form: str, body: bytes) -> None:
    kind = [(b"content-type", form.encode()), (b"cache-control", b"no-store"), (b"connection", b"close")]
    headers = [*kind, *((name.encode(), value.encode()) for name, value in _HEADERS.items())]
    await send({"type": "http.response.start", "status": status, "headers": headers})  # type: ignore[misc]
    await send({"type": "http.response.body", "body": body})  # type: ignore[misc]

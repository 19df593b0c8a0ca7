"""The server as an ASGI application: pages, operations, streams and pictures."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from sixprime import formats, reading
from sixprime.errors import (
    DataFileError,
    EngineError,
    ParseError,
    RulesError,
    SettingsError,
    SixprimeError,
    StoppedError,
)
from sixprime.game import parse
from sixprime.play.wording import one_line
from sixprime.report.svg import board_css, board_geometry, board_svg
from sixprime.report.themes import THEMES
from sixprime.web import messages as m
from sixprime.web import pages
from sixprime.web.boards import check_judged
from sixprime.web.desk import Work
from sixprime.web.guard import Access, Guard, TooLarge
from sixprime.web.house import House, NotThere
from sixprime.web.judging import judged, unrolled
from sixprime.web.openapi import document
from sixprime.web.operations import API, OPERATIONS, Operation

_STATIC = Path(__file__).parent / "static"
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8"}
_STILL = 15.0
"""Seconds after which a stream says that it is still there."""
_NAME = re.compile(r"[a-z]+\.(js|css|svg)")
_PAGES = ("analyse", "review", "settings")


def create_app(house: House, access: Access | None = None) -> ASGIApp:
    """The application over a house. access: who is let in, by default this machine alone."""

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(house.close)

    routes = [Route(API + each.path, _endpoint(house, each), methods=[each.method]) for each in OPERATIONS]
    routes += [
        Route(f"{API}/sittings/{{key}}/events", partial(_events, house)),
        Route(f"{API}/analysis", partial(_analysis, house)),
        Route(f"{API}/pictures/{{name}}.{{kind}}", partial(_picture, house)),
        Route(f"{API}/reports", partial(_send_match, house), methods=["POST"]),
        Route(f"{API}/openapi.json", _openapi),
        Route("/reports/{key}", partial(_report_page, house)),
        Route("/", partial(_page, "home")),
        Route("/play/{key}", partial(_page, "play")),
        *(Route(f"/{name}", partial(_page, name)) for name in _PAGES),
        Route("/static/catalogue.js", _catalogue),
        Route("/static/drawing.js", _drawing),
        Route("/static/board.css", _board_css),
        Route("/static/{name}", _static),
        Route("/favicon.ico", partial(_static, name="icon.svg")),
    ]
    app = Starlette(routes=routes, lifespan=life, exception_handlers={Exception: _failed, HTTPException: _no_such})
    return Guard(app, access or Access())


# Answers


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _refused(status: int, code: str, message: str) -> Response:
    return _json(m.Refused(m.Problem(code, message)), status)


def _answer_to(error: Exception) -> Response:
    """What is said of an error. Raises it where it is none of ours."""
    said = one_line(error)
    match error:
        case NotThere():
            return _refused(404, "not_there", said)
        case msgspec.ValidationError() | msgspec.DecodeError():
            return _refused(400, "unreadable", said)
        case ParseError() | SettingsError():
            return _refused(400, "unreadable" if isinstance(error, ParseError) else "out_of_range", said)
        case RulesError() | StoppedError():
            return _refused(409, "not_allowed" if isinstance(error, RulesError) else "stopped", said)
        case EngineError() | DataFileError() | BlockingIOError():
            return _refused(503, "failed", said)
        case OSError() | SixprimeError():
            # Names of files are nobody's business at the other end.
            return _refused(503, "failed", getattr(error, "strerror", None) or "It could not be done.")
    raise error


async def _no_such(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    if status == 405:
        return _refused(404, "not_there", "There is nothing here that could be asked so.")
    return _refused(status, "not_there", "There is nothing here.")


async def _failed(request: Request, error: Exception) -> Response:
    return _refused(500, "bug", "Something went wrong in Sixprime itself.")


def _endpoint(house: House, operation: Operation) -> Callable[[Request], Any]:
    decoder: Any = msgspec.json.Decoder(operation.asks) if operation.asks is not None else None

    async def answer(request: Request) -> Response:
        try:
            asked = None
            if decoder is not None:
                if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                    return _refused(415, "no_json", "What is asked must be application/json.")
                asked = decoder.decode(await request.body())
            key = request.path_params.get("key", "")
            return _json(await run_in_threadpool(operation.does, house, key, asked))
        except (TooLarge, ClientDisconnect):
            raise
        except RecursionError:
            return _refused(400, "unreadable", "Too many brackets within brackets.")
        except Exception as error:
            return _answer_to(error)

    return answer


# Streams


def _event(value: Any) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def _stream(parts: AsyncIterator[bytes]) -> Response:
    return StreamingResponse(parts, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _events(house: House, request: Request) -> Response:
    key = request.path_params["key"]
    try:
        sitting = await run_in_threadpool(house.sitting, key)
    except Exception as error:
        return _answer_to(error)
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def hear() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    async def parts() -> AsyncIterator[bytes]:
        await run_in_threadpool(sitting.open_window, hear, key)
        try:
            while True:
                changed.clear()
                yield _event(await run_in_threadpool(sitting.told, key))
                while not changed.is_set():
                    try:
                        await asyncio.wait_for(changed.wait(), _STILL)
                    except TimeoutError:
                        yield b": still here\n\n"
        finally:
            sitting.close_window(hear)

    return _stream(parts())


def _number(request: Request, name: str, otherwise: int, most: int) -> int:
    text = request.query_params.get(name, str(otherwise))
    if not text.isascii() or not text.isdigit() or len(text) > 7 or int(text) > most:
        raise SettingsError(f"{name} must be a number from 0 to {most}. Got {text[:20]!r} instead.")
    return int(text)


async def _analysis(house: House, request: Request) -> Response:
    try:
        found = parse(request.query_params.get("id", "")[:2000], chequers=_number(request, "chequers", 15, 15) or 15)
        check_judged(found.position, found.state)
        plies, trials = _number(request, "plies", 2, 3), _number(request, "trials", 0, 46656)
        count = max(1, _number(request, "count", 3, 10))
        if request.query_params.get("cube") == "1":
            found = unrolled(found)
    except Exception as error:
        return _answer_to(error)
    loop = asyncio.get_running_loop()
    ready: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def tell(piece: dict[str, Any] | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(ready.put_nowait, piece)

    def pieces(stop: Any) -> Any:
        yield from judged(house.engine, found, plies=plies, trials=trials, count=count, stop=stop)

    work = Work(request.query_params.get("page", "")[:40], pieces, tell)
    try:
        house.desk.begin(work)
    except SettingsError as error:
        return _refused(503, "busy", str(error))

    async def parts() -> AsyncIterator[bytes]:
        try:
            while True:
                try:
                    piece = await asyncio.wait_for(ready.get(), _STILL)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                yield _event({"kind": "end"} if piece is None else piece)
                if piece is None:
                    return
        finally:
            house.desk.end(work)

    return _stream(parts())


# Pictures and pages


def _svg(text: str) -> Response:
    """A picture, with a policy that lets in its own styles and nothing else."""
    found = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = (b64encode(sha256(each.encode()).digest()).decode() for each in found)
    styles = " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
    policy = f"default-src 'none'; style-src {styles}; sandbox; frame-ancestors 'none'"
    return Response(text, media_type="image/svg+xml", headers={"content-security-policy": policy})


def _drawn(house: House, name: str, text: str, theme: str) -> str:
    from sixprime import theory
    from sixprime.report import cube as cube_report
    from sixprime.report import maps

    found = parse(text[:2000])
    check_judged(found.position, found.state)
    position, state, dice = found
    if name == "board":
        return board_svg(position, state, theme=theme or None)
    before, engine = unrolled(found).state, house.engine
    match name:
        case "cube":
            return cube_report.cube_chart(theory.cube_theory(engine, position, match=before))
        case "temperature":
            return maps.temperature_svg(theory.temperature_map(engine, position, match=before, plies=0))
        case "scores":
            return maps.score_svg(theory.score_map(engine, position, dice=dice, plies=0))
        case "losers":
            return maps.losers_svg(theory.market_losers(engine, position, match=before))
    raise NotThere("There is no such picture.")


async def _picture(house: House, request: Request) -> Response:
    asked, kind = request.query_params, request.path_params["kind"]
    try:
        if kind not in ("svg", "png"):
            raise NotThere("There is no such picture.")
        theme = asked.get("theme", "light" if kind == "png" else "")
        work = partial(_drawn, house, request.path_params["name"], asked.get("id", ""), theme)
        drawn = await run_in_threadpool(work)
        if kind == "svg":
            return _svg(drawn)
        from sixprime.report.png import to_png

        return Response(await run_in_threadpool(to_png, drawn), media_type="image/png")
    except Exception as error:
        return _answer_to(error)


async def _send_match(house: House, request: Request) -> Response:
    try:
        data = await request.body()
        match = await run_in_threadpool(formats.read_text, data)
        return _json((await run_in_threadpool(house.analyse, match)).told)
    except (TooLarge, ClientDisconnect):
        raise
    except Exception as error:
        return _answer_to(error)


async def _report_page(house: House, request: Request) -> Response:
    try:
        report = house.report(request.path_params["key"])
    except NotThere as error:
        return _answer_to(error)
    if not report.page:
        return await _page("review", request)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', report.page)
    headers = {"content-security-policy": f"{policy[1]}; frame-ancestors 'none'"} if policy else {}
    return Response(report.page, media_type="text/html; charset=utf-8", headers=headers)


async def _openapi(request: Request) -> Response:
    return _json(document())


async def _page(name: str, request: Request) -> Response:
    return Response(pages.page(name, pages.language_of(request)), media_type=_KINDS[".html"])


async def _catalogue(request: Request) -> Response:
    """Texts for scripts, in the language of whoever asks."""
    return Response(pages.module(pages.language_of(request)), media_type=_KINDS[".js"])


async def _drawing(request: Request) -> Response:
    """The drawing of reports as a module, with the lengths of this version."""
    from sixprime.report import templating

    source = reading.read_text(Path(templating.__file__).parent / "templates" / "board.js")
    sizes = msgspec.json.encode(board_geometry()).decode()
    return Response(f"{source}\nexport const sizes = {sizes};\nexport {{ boards }};\n", media_type=_KINDS[".js"])


async def _board_css(request: Request) -> Response:
    """The colours of boards: those of the reader's scheme, and every theme by its name."""
    rules = [board_css(), *(board_css(theme, scope=f"sp-{name}") for name, theme in THEMES.items())]
    return Response("\n".join(rules), media_type=_KINDS[".css"])


async def _static(request: Request, name: str = "") -> Response:
    name = name or request.path_params["name"]
    place = _STATIC / name
    if not _NAME.fullmatch(name) or not place.is_file():
        return _refused(404, "not_there", "There is nothing here.")
    return Response(reading.read_text(place), media_type=_KINDS[place.suffix], headers={"cache-control": "no-cache"})

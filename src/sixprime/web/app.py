"""The server as an ASGI application: pages, operations, streams and pictures."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sixprime import reading
from sixprime.checks import wanted
from sixprime.engine.filters import MAX_PLIES
from sixprime.errors import (
    DataFileError,
    EngineError,
    ParseError,
    RulesError,
    SettingsError,
    SixprimeError,
    StoppedError,
)
from sixprime.game import ParsedPosition, parse
from sixprime.game.table import check_judged
from sixprime.play.wording import one_line
from sixprime.report.phrases import say, spoken
from sixprime.report.svg import board_css, board_geometry, board_svg
from sixprime.report.themes import THEMES
from sixprime.web import messages as m
from sixprime.web import pages
from sixprime.web.archive import NotThere
from sixprime.web.boards import positions_of, shown_of
from sixprime.web.desk import Busy, Work
from sixprime.web.guard import Access, Guard, TooLarge
from sixprime.web.house import House
from sixprime.web.judging import ROLLED, judged, unrolled
from sixprime.web.openapi import document
from sixprime.web.operations import API, OPERATIONS, Operation

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch

T = TypeVar("T")
_STATIC = Path(__file__).parent / "static"
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8"}
_STILL = 15.0
"""Seconds after which a stream says that it is still there."""
_AGAIN = b"retry: 1000\n\n"
"""Begins a stream: milliseconds after which a page asks again when it was cut."""
_READ = 2
"""Files that are read at once: what is in one may take fifty times its size."""
_UNPACKED = 1 << 26
"""Bytes that an analysis may unpack to."""
_WORD = re.compile(r"[\w-]{1,40}", re.ASCII)
_NAME = re.compile(r"[a-z]+\.(js|css|svg)")
_SORRY = (
    (NotThere, 404, "not_there"),
    (ParseError, 400, "unreadable"),
    (SettingsError, 400, "out_of_range"),
    (Busy, 503, "busy"),
    (RulesError, 409, "not_allowed"),
    (StoppedError, 409, "stopped"),
    (EngineError | DataFileError, 503, "failed"),
)
"""Status and code of errors that may be told, the first that fits."""
_PAGES = ("analyse", "review", "transcribe", "library", "learn", "settings")


def create_app(house: House, access: Access | None = None) -> ASGIApp:
    """The application over a house. access: who is let in, by default this machine alone."""

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(house.close)

    routes = [Route(API + each.path, _endpoint(house, each), methods=[each.method]) for each in OPERATIONS]
    routes += [
        Route(f"{API}/sittings/{{key}}/events", partial(_events, house)),
        Route(f"{API}/reports/{{key}}/events", partial(_report_events, house)),
        Route(f"{API}/analysis", partial(_analysis, house)),
        Route(f"{API}/pictures/{{name}}.{{kind}}", partial(_picture, house)),
        Route(f"{API}/reports/{{key}}/closer", partial(_closer, house)),
        Route(f"{API}/reports/{{key}}/files/{{form}}", partial(_report_file, house)),
        Route(f"{API}/reports", partial(_send_match, house, asyncio.Semaphore(_READ)), methods=["POST"]),
        Route(f"{API}/openapi.json", _openapi),
        Route("/reports/{key}", partial(_report_page, house)),
        Route("/", partial(_page, "home")),
        Route("/play/{key}", partial(_play_page, house)),
        *(Route(f"/{name}", partial(_page, name)) for name in _PAGES),
        Route("/static/catalogue.js", _catalogue),
        Route("/static/naming.js", _naming),
        Route("/static/drawing.js", _drawing),
        Route("/static/board.css", _board_css),
        Route("/static/{name}", _static),
        Route("/favicon.ico", partial(_static, name="icon.svg")),
    ]
    ours = (SixprimeError, OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
    handlers: Any = {Exception: _failed, HTTPException: _no_such, TooLarge: _too_large} | dict.fromkeys(ours, _sorry)
    app = Starlette(routes=routes, lifespan=life, exception_handlers=handlers)
    return Guard(app, access or Access())


# Answers


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _refused(status: int, code: Any, message: str) -> Response:
    return _json(m.Refused(m.Problem(code, message)), status)


async def _sorry(request: Request, error: Exception) -> Response:
    """What is said of an error that is no bug."""
    said = one_line(error)
    match error:
        case RecursionError():
            return _refused(400, "unreadable", "Too many brackets within brackets.")
        case msgspec.ValidationError():
            return _refused(400, "unreadable", wanted(str(error)))
        case msgspec.DecodeError() | UnicodeDecodeError():
            return _refused(400, "unreadable", f"What was sent is no JSON: {said}")
    for kind, status, code in _SORRY:
        if isinstance(error, kind):
            return _refused(status, code, said)
    # Names of files are nobody's business at the other end.
    return _refused(503, "failed", getattr(error, "strerror", None) or "It could not be done.")


async def _no_such(request: Request, error: Exception) -> Response:
    if pages.wanted(request):
        return _lost(request, "lost.page")
    status = getattr(error, "status_code", 500)
    if status == 405:
        return _refused(404, "not_there", "There is nothing here that could be asked so.")
    return _refused(status, "not_there", "There is nothing here.")


def _lost(request: Request, why: str) -> Response:
    """A page that says that nothing is there."""
    return Response(pages.page("lost", pages.language_of(request), why), 404, media_type=_KINDS[".html"])


async def _too_large(request: Request, error: Exception) -> Response:
    return _refused(413, "too_large", "More was sent than can be.")


async def _failed(request: Request, error: Exception) -> Response:
    return _refused(500, "bug", m.BUG)


def _endpoint(house: House, operation: Operation) -> Callable[[Request], Any]:
    decoder: Any = msgspec.json.Decoder(operation.asks) if operation.asks is not None else None

    async def answer(request: Request) -> Response:
        asked = None
        if decoder is not None:
            if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return _refused(415, "no_json", "What is asked must be application/json.")
            asked = decoder.decode(await request.body())
        key = request.path_params.get("key", "")
        does = partial(operation.does, house, key, asked)
        if operation.thinks is None or not await run_in_threadpool(operation.thinks, house, key, asked):
            return _json(await run_in_threadpool(does))
        return _json(await _at_desk(house, request, f"{operation.name} {key}", does, short=1))

    return answer


async def _at_desk(house: House, request: Request, who: str, does: Callable[[Any], T], *, short: int = 0) -> T:
    """What the engine is asked for, in its turn and while the request is there; `does` is given the stop. Raises what
    it raises, Busy, and RulesError where the same one has asked again or has gone."""
    done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def settle(piece: Any) -> None:
        if done.done():
            return
        if isinstance(piece, Exception):
            done.set_exception(piece)
        elif piece is None:
            done.set_exception(RulesError("Something else has been asked for here instead."))
        else:
            done.set_result(piece[0])

    def pieces(stop: Any) -> Any:
        yield (does(stop),)

    work = Work(who, pieces, _from_threads(settle), short=short)
    house.desk.begin(work)
    left = asyncio.create_task(_left(request))
    left.add_done_callback(lambda _: house.desk.end(work))
    try:
        return await done
    finally:
        house.desk.end(work)
        left.cancel()


def _from_threads(do: Callable[..., object]) -> Callable[..., None]:
    """The same on the loop of this thread, whichever thread calls it."""
    loop = asyncio.get_running_loop()

    def later(*given: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(do, *given)

    return later


async def _left(request: Request) -> None:
    """Until whoever asked has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


# Streams


def _event(value: Any, name: str) -> bytes:
    return (b"id: " + name.encode() + b"\n" if name else b"") + b"data: " + msgspec.json.encode(value) + b"\n\n"


class _Stream(StreamingResponse):
    """Events as long as somebody listens. end: called whichever way it ends, though it may not have begun; leave: told
    when the server ends."""

    def __init__(
        self, house: House, parts: AsyncIterator[bytes], end: Callable[[], None], leave: Callable[[], None]
    ) -> None:
        super().__init__(parts, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
        self._house, self._end, self._leave = house, end, leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        self._house.streams.add(self._leave)
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            # Of a page that takes nothing any more; it keeps nobody waiting.
            if not self._house.ending:
                raise
        finally:
            self._house.streams.discard(self._leave)
            self._end()


async def _following(
    house: House, changed: asyncio.Event, look: Callable[[], tuple[Any, str, bool]]
) -> AsyncIterator[bytes]:
    """The events of something that is looked at anew whenever it has changed: a value, its id, whether more comes."""
    yield _AGAIN
    while True:
        changed.clear()
        value, name, more = await run_in_threadpool(look)
        yield _event(value, name)
        if not more:
            return
        while not changed.is_set():
            try:
                await asyncio.wait_for(changed.wait(), _STILL)
            except TimeoutError:
                yield b": still here\n\n"
        if house.ending:
            return


async def _events(house: House, request: Request) -> Response:
    key, changed = request.path_params["key"], asyncio.Event()
    hear = _from_threads(changed.set)
    sitting = await run_in_threadpool(house.sitting, key)
    await run_in_threadpool(sitting.open_window, hear, key)

    def look() -> tuple[Any, str, bool]:
        told = sitting.told(key)
        return told, str(told.version), not sitting.gone

    return _Stream(house, _following(house, changed, look), partial(sitting.close_window, hear), hear)


async def _report_events(house: House, request: Request) -> Response:
    changed = asyncio.Event()
    hear = _from_threads(changed.set)
    report = await run_in_threadpool(house.reports.get, request.path_params["key"])
    await run_in_threadpool(house.reports.follow, report, hear)

    def look() -> tuple[Any, str, bool]:
        told = report.told
        return told, str(told.done), told.state == "working"

    return _Stream(house, _following(house, changed, look), partial(report.leave, hear), hear)


def _number(request: Request, name: str, otherwise: int, most: int) -> int:
    text = request.query_params.get(name, str(otherwise))
    if not text.isascii() or not text.isdigit() or len(text) > 7 or int(text) > most:
        raise SettingsError(f"{name} must be a number from 0 to {most}. Got {text[:20]!r} instead.")
    return int(text)


def _position(request: Request) -> ParsedPosition:
    """What is to be judged or drawn."""
    found = parse(request.query_params.get("id", "")[:2000], chequers=_number(request, "chequers", 15, 15) or 15)
    check_judged(found.position, found.state)
    return found


def _page_of(request: Request) -> str:
    """Which page asks; one of its own for whoever does not say."""
    page = request.query_params.get("page", "")
    return page if _WORD.fullmatch(page) else token_urlsafe(9)


async def _analysis(house: House, request: Request) -> Response:
    found = _position(request)
    plies, trials = _number(request, "plies", 2, MAX_PLIES), _number(request, "trials", 0, 46656)
    count = max(1, _number(request, "count", ROLLED, 10))
    if request.query_params.get("cube") == "1":
        found = unrolled(found)
    last = request.headers.get("last-event-id", "")
    told = last if re.fullmatch(r"r?\d{1,7}", last, re.ASCII) else ""

    def pieces(stop: Any) -> Any:
        how: dict[str, Any] = {"plies": plies, "trials": trials, "count": count}
        yield from judged(house.engine, found, **how, stop=stop, rolled=house.rolled, told=told)

    return _piecewise(house, f"analysis {_page_of(request)}", pieces, short=1 + min(plies, 2), told=told)


async def _closer(house: House, request: Request) -> Response:
    from sixprime.web import reviews

    asked = request.query_params
    report = await run_in_threadpool(house.reports.get, request.path_params["key"])
    house.reports.follow(report)
    place = _number(request, "game", 0, 9999), _number(request, "action", 0, 99999), asked.get("kind", "play")[:10]
    decision = reviews.decision_of(reviews.analysed_of(report), *place)
    plies, trials = _number(request, "plies", 2, MAX_PLIES), _number(request, "trials", 0, 46656)
    if decision.cube is None and len(decision.plays) < 2:
        raise SettingsError("There was nothing to be chosen there.")
    if trials and decision.cube is not None and not decision.cube.available:
        raise SettingsError("Nobody could double there, so there is no cube decision to be rolled out.")

    def pieces(stop: Any) -> Any:
        yield from reviews.closer(house.engine, report, decision, plies=plies, trials=trials, stop=stop)

    return _piecewise(house, f"closer {_page_of(request)}", pieces, short=0 if trials else 1)


def _piecewise(house: House, who: str, pieces: Callable[[Any], Any], *, short: int, told: str = "") -> Response:
    """The pieces of a work at the desk as events. told: the id of the last one that was told before."""
    ready: asyncio.Queue[Any] = asyncio.Queue()
    tell = _from_threads(ready.put_nowait)
    work = Work(who, pieces, tell, short=short)
    house.desk.begin(work)

    def hear(percent: int | None) -> None:
        tell({"kind": "compiling", "percent": percent})

    def end() -> None:
        house.compiling.heard.discard(hear)
        house.desk.end(work)

    house.compiling.heard.add(hear)
    if house.compiling.percent is not None:
        hear(house.compiling.percent)

    async def parts() -> AsyncIterator[bytes]:
        yield _AGAIN
        number = told
        while True:
            try:
                piece = await asyncio.wait_for(ready.get(), _STILL)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if house.ending:
                return
            if piece is None:
                piece = {"kind": "end"}
            elif isinstance(piece, Exception):
                ours = isinstance(piece, SixprimeError)
                piece = {"kind": "problem", "message": one_line(piece) if ours else m.BUG}
            number = piece.pop("id", number)
            # Whoever was cut off asks for what came after the last result.
            yield _event(piece, "" if piece["kind"] == "compiling" else number)
            if piece["kind"] == "end":
                return

    return _Stream(house, parts(), end, partial(tell, None))


# Pictures and pages


def _svg(text: str) -> Response:
    """A picture, with a policy that lets in its own styles and nothing else."""
    found = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = (b64encode(sha256(each.encode()).digest()).decode() for each in found)
    styles = " ".join(f"'sha256-{each}'" for each in hashes) or "'none'"
    policy = f"default-src 'none'; style-src {styles}; sandbox; frame-ancestors 'none'"
    return Response(text, media_type="image/svg+xml", headers={"content-security-policy": policy})


def _drawn(house: House, name: str, found: ParsedPosition, theme: str, language: str, stop: Any = None) -> str:
    """A picture by its name, with its words in a language."""
    with spoken(language):
        return _picture_of(house, name, found, theme, stop)


def _picture_of(house: House, name: str, found: ParsedPosition, theme: str, stop: Any) -> str:
    from sixprime import theory
    from sixprime.report import cube as cube_report
    from sixprime.report import maps

    position, state, dice = found
    if name == "board":
        return board_svg(position, state, theme=theme or None)
    before, engine = unrolled(found).state, house.engine
    match name:
        case "cube":
            return cube_report.cube_chart(theory.cube_theory(engine, position, match=before, stop=stop))
        case "temperature":
            return maps.temperature_svg(theory.temperature_map(engine, position, match=before, plies=0, stop=stop))
        case "scores":
            return maps.score_svg(theory.score_map(engine, position, dice=dice, match=before, plies=0, stop=stop))
        case "losers":
            return maps.losers_svg(theory.market_losers(engine, position, match=before, stop=stop))
    raise NotThere("There is no such picture.")


async def _picture(house: House, request: Request) -> Response:
    name, kind = request.path_params["name"], request.path_params["kind"]
    if kind not in ("svg", "png"):
        raise NotThere("There is no such picture.")
    theme = request.query_params.get("theme", "light" if kind == "png" else "")
    work = partial(_drawn, house, name, _position(request), theme, pages.language_of(request))
    if name == "board":
        drawn = await run_in_threadpool(work)
    else:
        drawn = await _at_desk(house, request, f"picture {_page_of(request)}", work)
    if kind == "svg":
        return _svg(drawn)
    from sixprime.report.png import to_png

    return Response(await run_in_threadpool(to_png, drawn), media_type="image/png")


async def _send_match(house: House, turn: asyncio.Semaphore, request: Request) -> Response:
    from sixprime import formats

    data = await request.body()
    async with turn:
        analysed = await run_in_threadpool(_saved_analysis, data)
        if analysed is not None:
            return _json((await run_in_threadpool(house.reports.known, analysed)).told)
        matches = await run_in_threadpool(formats.read_all_text, data)
    shown = await run_in_threadpool(shown_of, matches)
    if shown is None:
        played = [each for each in matches if each.played and not positions_of([each])]
        shown = await run_in_threadpool(house.analyse_all, played)
    return _json(shown)


def _saved_analysis(data: bytes) -> AnalysedMatch | None:
    """What a file that ends in `.sixprime` holds; None for any other file. Raises InvalidFileError."""
    from sixprime import codec
    from sixprime.analysis.model import AnalysedMatch

    try:
        text = reading.unpacked(data, _UNPACKED)
    except ValueError:
        return None
    return codec.from_json(text, AnalysedMatch) if b'"sixprime-analysis"' in text[:100] else None


async def _report_page(house: House, request: Request) -> Response:
    from sixprime.web import reviews

    try:
        report = await run_in_threadpool(house.reports.get, request.path_params["key"])
        page = await run_in_threadpool(report.page, pages.language_of(request))
    except Exception:
        if pages.wanted(request):
            return _lost(request, "lost.report")
        raise
    if not page:
        return await _page("review", request)
    text, policy = reviews.live(page)
    return Response(text, media_type=_KINDS[".html"], headers={"content-security-policy": policy})


async def _report_file(house: House, request: Request) -> Response:
    """A file to be saved, whatever is in it."""
    from sixprime.web import reviews

    analysed = reviews.analysed_of(await run_in_threadpool(house.reports.get, request.path_params["key"]))
    form, language = request.path_params["form"], pages.language_of(request)
    name, content = await run_in_threadpool(reviews.file_of, analysed, form, language)
    headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}
    return Response(content, media_type="application/octet-stream", headers=headers)


async def _openapi(request: Request) -> Response:
    return _json(document())


async def _page(name: str, request: Request) -> Response:
    return Response(pages.page(name, pages.language_of(request)), media_type=_KINDS[".html"])


async def _play_page(house: House, request: Request) -> Response:
    if pages.wanted(request) and not house.knows(request.path_params["key"]):
        return _lost(request, "lost.game")
    return await _page("play", request)


async def _catalogue(request: Request) -> Response:
    """Texts for scripts, in the language of whoever asks."""
    return Response(pages.module(pages.language_of(request)), media_type=_KINDS[".js"])


async def _naming(request: Request) -> Response:
    """What settings are called, in the language of whoever asks."""
    return Response(pages.naming_module(pages.language_of(request)), media_type=_KINDS[".js"])


async def _drawing(request: Request) -> Response:
    """The drawing of reports as a module, with the lengths of this version."""
    from sixprime.report.templating import render

    with spoken(pages.language_of(request)):
        source = render("board.js", {"say": say})
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

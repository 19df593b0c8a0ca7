"""A server of the Model Context Protocol over standard input and output: the table of `tools`, asked by a model.

Each question is answered in a thread; its progress is told a few times a second, and one that is cancelled stops its
work. What is wrong with a question is an answer that says so.
"""

from __future__ import annotations

import os
import select
import threading
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as wire
import msgspec
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from sixprime._version import __version__
from sixprime.errors import SixprimeError
from sixprime.game.table import placeless
from sixprime.progress import Progress, Watch
from sixprime.protocols.tools import ABOUT, TOOLS, Host, Picture, Tool

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from sixprime.engine import Engine

_AT_ONCE = 4
"""Questions that are answered side by side; others wait."""
_EVERY = 0.25
"""Seconds between two words on how far the work is."""


def make_server(make: Callable[[], Engine], marked: float | None = None) -> Server:
    """The server, which speaks through whatever it is run on. make, marked: as for `Host`."""
    host, turns = Host(make, marked), anyio.CapacityLimiter(_AT_ONCE)

    async def listed(context: ServerRequestContext, asked: wire.PaginatedRequestParams | None) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])

    async def called(context: ServerRequestContext, asked: wire.CallToolRequestParams) -> wire.CallToolResult:
        tool = TOOLS.get(asked.name)
        if tool is None:
            return _refused(f"there is no tool {asked.name[:40]!r}; there are {', '.join(TOOLS)}")
        return await _answered(partial(_answer, host, tool, asked.arguments or {}), context, turns)

    return Server(
        "sixprime",
        version=__version__,
        title="Sixprime",
        description="Backgammon analysis.",
        instructions=ABOUT,
        on_list_tools=listed,
        on_call_tool=called,
    )


def serve(make: Callable[[], Engine], marked: float | None = None) -> None:
    """Answers until standard input ends, and whatever was asked by then. make, marked: as for `Host`.

    Raises OSError where standard input or output fails.
    """

    if hasattr(select, "poll"):
        threading.Thread(target=_end_unheard, args=(os.dup(1),), daemon=True).start()

    async def run() -> None:
        server = make_server(make, marked)
        passed, sound = anyio.create_memory_object_stream[SessionMessage | Exception]()
        said, heard = anyio.create_memory_object_stream[SessionMessage]()
        waiting = _Waiting()
        async with stdio_server() as (reading, writing), anyio.create_task_group() as tasks:
            tasks.start_soon(_sorted_out, reading, passed, writing, waiting)
            async with anyio.create_task_group() as answering:
                answering.start_soon(_handed_on, heard, writing, waiting)
                async with said:
                    await server.run(sound, said, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    try:
        anyio.run(run)
    except BaseExceptionGroup as group:
        # With the stream that fails, those between the tasks break.
        failed: BaseException | None = group.subgroup(OSError)
        if failed is None or group.split((OSError, anyio.BrokenResourceError))[1] is not None:
            raise
        while isinstance(failed, BaseExceptionGroup):
            failed = failed.exceptions[0]
        raise failed from None


class _Waiting:
    """Questions that wait for their answer: the library drops those at the end of its input."""

    def __init__(self) -> None:
        self._numbers: set[object] = set()
        self._changed = anyio.Event()

    def asked(self, message: wire.JSONRPCMessage) -> None:
        """Something has come; what is taken back gets no answer."""
        if isinstance(message, wire.JSONRPCRequest):
            self._numbers.add(message.id)
        elif isinstance(message, wire.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._end((message.params or {}).get("requestId"))

    def told(self, message: wire.JSONRPCMessage) -> None:
        """Something goes out."""
        if isinstance(message, wire.JSONRPCResponse | wire.JSONRPCError):
            self._end(message.id)

    async def over(self) -> None:
        """Waits until nothing waits any more."""
        while self._numbers:
            self._changed = anyio.Event()
            await self._changed.wait()

    def _end(self, number: object) -> None:
        self._numbers.discard(number)
        self._changed.set()


async def _handed_on(
    heard: ReadStream[SessionMessage], writing: WriteStream[SessionMessage], waiting: _Waiting
) -> None:
    async with writing:
        async for item in heard:
            await writing.send(item)
            waiting.told(item.message)


async def _sorted_out(
    reading: ReadStream[SessionMessage | Exception],
    passed: WriteStream[SessionMessage | Exception],
    writing: WriteStream[SessionMessage],
    waiting: _Waiting,
) -> None:
    """Passes messages on; lines that are none, which the library passes over, get an answer."""
    async with passed:
        async for item in reading:
            if isinstance(item, ValidationError):
                answer = _no_message(item)
            elif _unnumbered(item):
                answer = _error(None, wire.INVALID_REQUEST, "Invalid Request")
            else:
                if isinstance(item, SessionMessage):
                    waiting.asked(item.message)
                await passed.send(item)
                continue
            if answer is not None:
                await writing.send(SessionMessage(answer))
        await waiting.over()


def _unnumbered(item: SessionMessage | Exception) -> bool:
    """Whether a message is a question whose `id` cannot be one, which the library takes for a notification."""
    message = item.message if isinstance(item, SessionMessage) else None
    return isinstance(message, wire.JSONRPCNotification) and not message.method.startswith("notifications/")


def _no_message(error: ValidationError) -> wire.JSONRPCError | None:
    """The answer to a line that is no message, as JSON-RPC has it; None for an empty line, and for an answer."""
    wrong = error.errors(include_url=False)
    if wrong[0]["type"] == "json_invalid":
        if not str(wrong[0]["input"]).strip():
            return None
        return _error(None, wire.PARSE_ERROR, f"Parse error: {wrong[0]['msg']}")
    # An object misses what one of the kinds of messages has; other values miss nothing.
    sent: dict[str, Any] = next((each["input"] for each in wrong if each["type"] == "missing"), {})
    if not sent.keys().isdisjoint(("result", "error")):
        return None
    number = sent.get("id")
    return _error(number if type(number) in (int, str) else None, wire.INVALID_REQUEST, "Invalid Request")


def _error(id: int | str | None, code: int, message: str) -> wire.JSONRPCError:
    return wire.JSONRPCError(jsonrpc="2.0", id=id, error=wire.ErrorData(code=code, message=message))


def _end_unheard(out: int) -> None:
    """Ends the process when nobody reads standard output any more: whoever waits for standard input cannot be ended."""
    poll = select.poll()
    poll.register(out, 0)
    poll.poll()
    os._exit(1)


async def _answered(
    work: Callable[[Watch], wire.CallToolResult], context: ServerRequestContext, turns: anyio.CapacityLimiter
) -> wire.CallToolResult:
    """The answer of a thread, which is told to stop when nobody waits for it any more."""
    stop, latest = threading.Event(), [Progress(0, None)]
    watch = Watch(lambda step: latest.__setitem__(0, step), stop)

    async def tell() -> None:
        said = latest[0]
        while True:
            await anyio.sleep(_EVERY)
            step = latest[0]
            if step.done > said.done or step.total != said.total:
                said = step
                await context.session.report_progress(step.done, step.total, step.what or None)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tell)
            answer = await anyio.to_thread.run_sync(work, watch, abandon_on_cancel=True, limiter=turns)
            tasks.cancel_scope.cancel()
        return answer
    finally:
        stop.set()


def _answer(host: Host, tool: Tool, arguments: dict[str, Any], watch: Watch) -> wire.CallToolResult:
    """The answer of a tool, or what is wrong with the question."""
    try:
        answer = tool(host, arguments, watch)
    except (SixprimeError, OSError) as error:
        if isinstance(error, OSError) and error.strerror:
            return _refused(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return _refused(" ".join(placeless(error).split()))
    except Exception as error:
        if os.environ.get("SIXPRIME_DEBUG"):
            raise
        return _refused(f"internal error, please report it: {type(error).__name__}: {error}")
    if not isinstance(answer, Picture):
        text = msgspec.json.encode(answer).decode()
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)], structured_content=answer)
    if answer.png is None:
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=answer.svg)])
    data = b64encode(answer.png).decode("ascii")
    return wire.CallToolResult(content=[wire.ImageContent(type="image", data=data, mime_type="image/png")])


def _refused(text: str) -> wire.CallToolResult:
    return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)], is_error=True)


def _described(tool: Tool) -> wire.Tool:
    harmless = wire.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return wire.Tool(name=tool.name, description=tool.about, input_schema=tool.schema, annotations=harmless)

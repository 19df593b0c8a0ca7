"""The server of the Model Context Protocol, asked by a client of `mcp`: in this process, and as clients start it."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from places import COMPILING

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp", reason="needs the extra mcp")

from sixprime._version import __version__  # noqa: E402
from sixprime.engine import Engine  # noqa: E402
from sixprime.progress import Watch  # noqa: E402
from sixprime.protocols.mcp import make_server  # noqa: E402
from sixprime.protocols.tools import ABOUT, TOOLS, Host, Tool  # noqa: E402

START = "4HPwATDgc/ABMA"
T = TypeVar("T")


@pytest.fixture(scope="module")
def server() -> Any:
    engine = Engine(plies=0, threads=1)
    return make_server(lambda: engine)


def talk(server: Any, what: Callable[[Any], Awaitable[T]], mode: str = "auto") -> T:
    """What comes of a talk with a server."""

    async def run() -> T:
        async with mcp.Client(server, mode=mode) as client:
            return await what(client)

    return anyio.run(run)


def text_of(answer: Any) -> str:
    (content,) = answer.content
    return str(content.text)


def test_tools_that_python_has_no_texts_of_are_not_offered() -> None:
    command = [sys.executable, "-OO", "-m", "sixprime", "mcp"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "mcp needs it without -OO and PYTHONOPTIMIZE=2" in done.stderr


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed(server: Any, mode: str) -> None:
    async def listed(client: Any) -> Any:
        assert client.server_info.name == "sixprime"
        assert client.server_info.version == __version__
        assert client.instructions == ABOUT
        return (await client.list_tools()).tools

    found = talk(server, listed, mode)
    assert {each.name: each.input_schema for each in found} == {name: tool.schema for name, tool in TOOLS.items()}
    assert all(each.annotations.read_only_hint for each in found)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_answer_is_text_and_object(server: Any, mode: str) -> None:
    answer = talk(server, lambda client: client.call_tool("hint", {"position": START, "dice": "31"}), mode)
    assert not answer.is_error
    assert json.loads(text_of(answer)) == answer.structured_content
    assert answer.structured_content["plays"][0]["play"] == "8/5 6/5"


def test_a_picture_is_an_image(server: Any) -> None:
    pytest.importorskip("resvg_py")
    answer = talk(server, lambda client: client.call_tool("picture", {"position": START}))
    (content,) = answer.content
    assert content.mime_type == "image/png"
    assert b64decode(content.data).startswith(b"\x89PNG")


def test_a_picture_is_svg_where_nothing_makes_a_png(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.protocols.tools.find_spec", lambda name: None)
    answer = talk(server, lambda client: client.call_tool("picture", {"position": START}))
    assert text_of(answer).startswith("<svg")


@pytest.mark.parametrize(
    ("name", "asked", "said"),
    [
        ("nosuch", {}, "there is no tool 'nosuch'; there are position, "),
        ("evaluate", {"position": START, "plies": 99}, "plies must be a whole number of at most 3. Got 99 instead."),
        ("analyse", {"path": "nosuch.mat"}, "nosuch.mat: cannot be read: No such file or directory"),
        ("analyse", {"path": "nosuch.sixprime"}, "nosuch.sixprime: No such file or directory"),
    ],
)
def test_what_is_wrong_is_an_answer(server: Any, name: str, asked: dict[str, Any], said: str) -> None:
    answer = talk(server, lambda client: client.call_tool(name, asked))
    assert answer.is_error
    assert text_of(answer).startswith(said)


def broken(host: Host, watch: Watch) -> dict[str, Any]:
    """Fails."""
    raise ZeroDivisionError("by zero")


def test_what_goes_wrong_inside_has_no_traceback(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOOLS, "broken", Tool(broken))
    answer = talk(server, lambda client: client.call_tool("broken", {}))
    assert answer.is_error
    assert text_of(answer) == "internal error, please report it: ZeroDivisionError: by zero"


begun, ended = threading.Event(), threading.Event()


def endless(host: Host, watch: Watch) -> dict[str, Any]:
    """Goes on until it is told to stop."""
    begun.set()
    done = 0
    while not watch.is_set():
        done += 1
        watch.tell(done, None, "turns")
        time.sleep(0.01)
    ended.set()
    return {}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_question_that_is_cancelled_ends_its_work(server: Any, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setitem(TOOLS, "endless", Tool(endless))
    begun.clear()
    ended.clear()
    told: list[float] = []

    async def given_up(client: Any) -> None:
        with anyio.CancelScope() as scope:

            async def hear(done: float, total: float | None, what: str | None) -> None:
                assert (total, what) == (None, "turns")
                told.append(done)
                if len(told) == 2:
                    scope.cancel()

            await client.call_tool("endless", {}, progress_callback=hear)
        assert begun.is_set()
        # Another question is answered meanwhile.
        assert not (await client.call_tool("position", {"position": START})).is_error

    talk(server, given_up, mode)
    assert ended.wait(10)
    assert told == sorted(set(told))


# As clients start it


def parameters(folder: Path) -> Any:
    from mcp.client.stdio import StdioServerParameters

    arguments = ["-m", "sixprime", "mcp", "--plies", "0", "--threads", "1"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=folder)


def test_over_standard_input_and_output(tmp_path: Path) -> None:
    async def asked(client: Any) -> list[Any]:
        return [
            await client.call_tool("position", {"position": START, "dice": "31"}),
            await client.call_tool("evaluate", {"position": START}),
            await client.call_tool("openings", {"roll": "31"}),
            await client.call_tool("match_equity", {"away": 2, "opponent_away": 3}),
            await client.call_tool("analyse", {"path": "-"}),
        ]

    *answers, refused = talk(parameters(tmp_path), asked)
    assert [answer.is_error for answer in answers] == [False] * 4
    assert text_of(refused) == "./-: cannot be read: No such file or directory"
    assert list(tmp_path.iterdir()) == []


HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)


def started() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sixprime", "mcp", "--plies", "0", "--threads", "1"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(HELLO)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "sixprime"
    return process


@pytest.fixture(scope="module")
def talking() -> Iterator[subprocess.Popen[bytes]]:
    with started() as process:
        yield process
        process.communicate(timeout=60)


def test_it_ends_with_its_input() -> None:
    with started() as process:
        out, err = process.communicate(b'\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n', timeout=60)
        assert [json.loads(line)["id"] for line in out.splitlines()] == [2]
        assert (process.returncode, err) == (0, b"")


def test_what_was_asked_before_the_end_is_answered() -> None:
    call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"position":"%s"}}}\n'
    asked = (
        call % (2, b"evaluate", START.encode()) + call % (3, b"no such tool", b"") + call % (4, b"evaluate", b"nothing")
    )
    # An unknown method, a number that is used twice, and a question that is taken back.
    asked += b'{"jsonrpc":"2.0","id":5,"method":"no/such"}\n{"jsonrpc":"2.0","id":5,"method":"ping"}\n'
    asked += call % (6, b"rollout", START.encode())
    asked += b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}\n'
    with started() as process:
        out, err = process.communicate(asked, timeout=60)
        answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines()) if "id" in answer}
        assert {2, 3, 4, 5} <= answers.keys()
        assert not answers[2]["result"]["isError"]
        assert (process.returncode, err.decode().replace(COMPILING, "")) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_an_answer_that_cannot_be_written_is_told() -> None:
    command = [sys.executable, "-m", "sixprime", "mcp", "--plies", "0", "--threads", "1"]
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(command, input=HELLO, stdout=full, stderr=subprocess.PIPE, timeout=60)
    said = f"sixprime: standard input or output: {os.strerror(errno.ENOSPC)}\n"
    assert (ended.returncode, ended.stderr.decode()) == (1, said)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal")
def test_a_signal_ends_it_at_once() -> None:
    with started() as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 1
        assert process.stderr is not None
        assert process.stderr.read() == b"sixprime: interrupted\n"


def test_it_ends_when_nobody_reads_its_answers() -> None:
    if not hasattr(select, "poll"):
        pytest.skip("nothing here tells that a pipe has no reader")
    with started() as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(30) == 1


NESTED = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"hint","arguments":' + b"[" * 100_000 + b"}}"
PARSE, REQUEST = (None, -32700), (None, -32600)


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        (b"no message", [PARSE]),
        (b"\x00\xff\xfe", [PARSE]),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"\\ud800"}}', [PARSE]),
        (NESTED, [PARSE]),
        (b"x" * 5_000_000, [PARSE]),
        (b"[]", [REQUEST]),
        (b"7", [REQUEST]),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', [REQUEST]),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', [(7, -32600)]),
        (b'{"id":"a","method":"ping"}', [("a", -32600)]),
        (b'{"jsonrpc":"2.0","id":true,"method":7}', [REQUEST]),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', [REQUEST]),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', [REQUEST]),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}', [REQUEST]),
        (b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', []),
        (b"  ", []),
        (b'{"jsonrpc":"2.0","id":8,"result":{}}', []),
        (b'{"jsonrpc":"2.0","id":8,"result":7}', []),
    ],
    ids=range(18),
)
def test_what_is_no_message_is_answered_as_json_rpc_has_it(
    talking: subprocess.Popen[bytes], line: bytes, answers: list[tuple[int | str | None, int]]
) -> None:
    assert talking.stdin is not None
    assert talking.stdout is not None
    talking.stdin.write(line + b'\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    talking.stdin.flush()
    said = [json.loads(talking.stdout.readline()) for _ in range(len(answers) + 1)]
    said.sort(key=lambda each: "result" in each)
    assert [(each["id"], each["error"]["code"]) for each in said[:-1]] == answers
    assert said[-1] == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_without_the_extra_the_command_says_so(sixprime: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sixprime.protocols.mcp")
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    status, out, err = sixprime("mcp")
    assert (status, out) == (2, "")
    assert err.startswith("sixprime: sixprime mcp needs the extra mcp: pip install 'sixprime[mcp]'")


def test_a_wrong_setting_is_said_at_once(sixprime: Callable[..., Any]) -> None:
    status, out, err = sixprime("mcp", "--level", "nobody")
    assert (status, out) == (2, "")
    assert "nobody" in err

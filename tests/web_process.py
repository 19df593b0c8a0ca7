"""Servers of `sixprime web` as tests and benchmarks start them, in this process or in one of their own; the browser;
games at a server, and its end in the midst of them."""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from places import places

if TYPE_CHECKING:
    from sixprime.web.house import House

API = "/api/v1"
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def until(true: Callable[[], object], what: str, pause: Callable[[float], object] = time.sleep) -> None:
    """Waits for it, half a minute at most. pause: what waits for so many seconds."""
    for _ in range(3000):
        if true():
            return
        pause(0.01)
    raise AssertionError(f"never: {what}")


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser. Raises ImportError without Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield started
        started.close()


def violations(page: Any) -> list[str]:
    """What makes a page hard to reach or to read. Raises ImportError without axe."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page)
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found.response["violations"]]


@contextmanager
def serving(house: House) -> Iterator[str]:
    """A server of a house in a thread of this process: its address, without the last stroke."""
    import uvicorn

    from sixprime.web.app import create_app
    from sixprime.web.server import config_of

    server = uvicorn.Server(config_of(create_app(house), port=0))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, "the server starts")
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        house.leave()
        server.should_exit = True
        thread.join(10)


class Server:
    """`sixprime web` in a process of its own. home: where its games are; port: 0 for any; more: of its options.

    As a context it is killed at the end.
    """

    errors: str

    def __init__(self, home: Path, port: int = 0, *, more: Sequence[str] = ()) -> None:
        command = [sys.executable, "-m", "sixprime", "web", "--port", str(port), *more]
        self.begun = time.perf_counter()
        self.run = subprocess.Popen(
            command, env=os.environ | places(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.run.stdout is not None
        self.address = self.run.stdout.readline().split()[-1]
        self.said = time.perf_counter() - self.begun
        self.port = urlsplit(self.address).port or 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.run.poll() is None:
            self.end(signal.SIGKILL)

    @property
    def cpu(self) -> float:
        """CPU seconds until now."""
        fields = Path(f"/proc/{self.run.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, which: str = "VmHWM") -> float:
        """Megabytes: the most until now, or now (VmRSS)."""
        status = Path(f"/proc/{self.run.pid}/status").read_text()
        return int(status.partition(f"{which}:")[2].split()[0]) / 1024

    def ask(self, path: str, body: Any = None, method: str = "") -> Any:
        """An answer as JSON; raises RuntimeError for what is refused."""
        with_body = body is not None
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            text = json.dumps(body) if with_body else None
            headers = {"content-type": "application/json"} if with_body else {}
            connection.request(method or ("POST" if with_body else "GET"), API + path, text, headers)
            answer = connection.getresponse()
            found = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {found['error']['message']}")
        return found

    def end(self, how: int = signal.SIGTERM) -> None:
        """Ends it; what it has said of errors is in `errors` then."""
        self.run.send_signal(how)
        _, self.errors = self.run.communicate(timeout=30)


@dataclass
class Killed:
    """What came of games whose server was killed. acts: that were answered; times: seconds until one was resumed."""

    acts: int = 0
    problems: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


def kill(home: Path, games: int, kills: int, *, longest: float = 3.0, seed: int = 1) -> Killed:
    """Has games of two people played at a server that is killed at random moments, and started again.

    What was answered has to be there afterwards, and the next act has to be possible.
    """
    chance, found = random.Random(seed), Killed()
    server = Server(home)
    port = server.port
    asked = {"opponent": "person", "length": 25}
    keys = [
        server.ask("/sittings", asked | {"seed": number, "tutor": number % 2 == 1, "name": f"Ann {number}"})["key"]
        for number in range(games)
    ]
    for _ in range(kills):
        seen: dict[str, Any] = {}
        ended = threading.Event()
        work = [threading.Thread(target=play, args=(server, key, seen, ended)) for key in keys]
        for thread in work:
            thread.start()
        # However slow the machine is, there has to be something to lose.
        while len(seen) < games or sum(each["number"] for each in seen.values()) < 3 * games:
            time.sleep(0.01)
        time.sleep(chance.uniform(longest / 3, longest))
        server.end(signal.SIGKILL)
        ended.set()
        for thread in work:
            thread.join()
        server = Server(home, port)
        for number, key in enumerate(keys):
            before, begun = seen[key], time.perf_counter()
            now = server.ask(f"/sittings/{key}")
            found.times.append(time.perf_counter() - begun)
            found.acts += before["number"]
            # The last act may have been done and not have been answered.
            if now["number"] not in (before["number"], before["number"] + 1):
                found.problems.append(f"game {number}: {before['number']} acts before, {now['number']} after")
            elif now["number"] == before["number"] and now["board"] != before["board"]:
                found.problems.append(f"game {number}: another board")
            if now["tutor"] != (number % 2 == 1) or now["names"] != before["names"]:
                found.problems.append(f"game {number}: tutor {now['tutor']}, {now['names']}")
    server.end()
    return found


def play(server: Server, key: str, seen: dict[str, Any], ended: threading.Event) -> None:
    """Plays until the server is killed; seen: what it has answered last."""
    stream: http.client.HTTPConnection | None = None
    answer: http.client.HTTPResponse | None = None
    try:
        seen[key] = server.ask(f"/sittings/{key}")
        stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        stream.request("GET", f"{API}/sittings/{key}/events")
        answer = stream.getresponse()
        while not ended.is_set():
            told = server.ask(f"/sittings/{key}")
            if told["number"] >= seen[key]["number"]:
                seen[key] = told
            act = next((name for name in ("roll", "play", "take", "next") if name in told["acts"]), None)
            if act is None:
                time.sleep(0.02)
                continue
            asked = {"do": act, "number": told["number"], "anyway": True}
            if act == "play":
                asked["play"] = legal(server, key, told["entry"])
            seen[key] = server.ask(f"/sittings/{key}/acts", asked)["told"]
    except (OSError, http.client.HTTPException):
        pass  # killed
    finally:
        if stream is not None:
            stream.close()
        if answer is not None:
            answer.close()


def legal(server: Server, key: str, entry: Any) -> str:
    """A play, chequer by chequer."""
    while not entry["done"]:
        asked = {"dice": entry["dice"], "moves": entry["moves"], "do": "move", "start": entry["sources"][0]["point"]}
        entry = server.ask(f"/sittings/{key}/entry", asked)
    return str(entry["play"])

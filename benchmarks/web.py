"""What people wait for at `sixprime web`, and whether it lasts: a server of its own, asked by Chromium and plain HTTP.

    python benchmarks/web.py [start pages crowd browsers kill fuzz] [--clients 20] [--seconds 300] [--requests 100000]

start: from the command to the board of a new game in a browser. pages: from a click to the new board and from a roll to
its first plays, while the engine rolls out for somebody else. crowd: so many clients that analyse without a pause, two
plies and then a rollout each, and what the server takes; at the end whether its work stops with them. browsers: the
same by so many browsers with the page Analyse, each of its own, from the change of its address to what it shows. kill:
so many games are played when the server is killed, and go on at the next one. fuzz: random requests
(`tests/web_requests.py`). Start, pages and browsers need the extra `browser` and Chromium. CPU seconds are those of the
server.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import _main
import _measure

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import web_process  # noqa: E402
from web_process import API, START, Server  # noqa: E402

PARTS = ("start", "pages", "crowd", "browsers", "kill", "fuzz")
Rows = list[list[str]]


@contextmanager
def serving() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        server = Server(Path(home))
        try:
            server.ask("/about")
            yield server
        finally:
            server.end()


@contextmanager
def browser() -> Iterator[Any]:
    if web_process.CHROMIUM is None:
        sys.exit("start, pages and browsers need Chromium")
    with web_process.chromium() as started:
        yield started


def share(times: list[float], part: float) -> float:
    """A quantile, of times that are not empty."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def row(what: str, times: list[float], aim: str, scale: float = 1000, unit: str = "ms") -> list[str]:
    shown = [f"{scale * share(times, part):.{0 if scale > 1 else 2}f} {unit}" for part in (0.5, 0.95)]
    return [what, *shown, f"{scale * max(times):.{0 if scale > 1 else 2}f} {unit}", aim]


def plain(what: str, value: str, aim: str) -> list[str]:
    return [what, value, "", "", aim]


# Start


def start(arguments: Any) -> Rows:
    said, board, spent = [], [], []
    with browser() as chromium, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for _ in range(arguments.starts + 1):
            page = chromium.new_context(viewport={"width": 1280, "height": 850}).new_page()
            page.goto("about:blank")
            server = Server(Path(home))
            page.goto(server.address)
            page.locator("#new button.main").click()
            page.wait_for_selector("body[data-phase] #board svg path")
            board.append(time.perf_counter() - server.begun)
            said.append(server.said)
            spent.append(server.cpu)
            server.end()
            page.context.close()
    # The first one warms the caches, and builds the databases.
    return [
        row("command to address", said[1:], "", 1, "s"),
        row("command to the board of a new game", board[1:], "1.5 s", 1, "s"),
        row("CPU of the server until then", spent[1:], "", 1, "s"),
    ]


# Pages

WATCH_BOARD = """() => {
  window.times = [];
  if (window.watching) return;
  window.watching = true;
  let pressed = null;
  const hits = document.querySelector("#board .hits"), drawn = document.querySelector("#board .sp-board");
  addEventListener("pointerup", () => (pressed = performance.now()), true);
  new MutationObserver(() => {
    if (pressed === null) return;
    times.push(performance.now() - pressed);
    pressed = null;
  }).observe(drawn, { childList: true });
}"""
WATCH_PLAYS = """() => {
  window.times = [];
  window.asked = null;
  new MutationObserver(() => {
    if (asked === null || !document.querySelector("#result .candidates li")) return;
    times.push(performance.now() - asked);
    asked = null;
  }).observe(document.querySelector("#result"), { childList: true });
}"""
ROLL = """(dice) => {
  const field = document.querySelector("#dice");
  field.value = dice;
  window.asked = performance.now();
  field.dispatchEvent(new Event("change"));
}"""


@contextmanager
def rolling(server: Server) -> Iterator[None]:
    """While somebody has a position rolled out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    asked = urlencode({"id": START, "plies": 2, "trials": 46656, "count": 3, "page": "somebody"})
    connection.request("GET", f"{API}/analysis?{asked}")
    answer = connection.getresponse()

    def read() -> None:
        try:
            while answer.readline():
                pass
        except (OSError, ValueError, AttributeError):
            pass  # it was closed

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        if connection.sock is not None:
            connection.sock.shutdown(2)
        connection.close()
        thread.join()


def click_on(page: Any, count: int) -> list[float]:
    """Seconds from so many clicks to the new board; whatever stands there is played on."""
    page.evaluate(WATCH_BOARD)
    for number in range(count):
        page.wait_for_selector("#actions .main, .hits .from")
        if page.locator("#actions .main").count():
            page.locator("#actions .main").click()
        else:
            page.locator(".hits .from").first.click(position={"x": 8, "y": 30})
        page.wait_for_function("(number) => times.length > number", arg=number)
    return [each / 1000 for each in page.evaluate("times")]


def pages(arguments: Any) -> Rows:
    rows: Rows = []
    with serving() as server, browser() as chromium:
        page = chromium.new_context(viewport={"width": 1280, "height": 850}, reduced_motion="reduce").new_page()
        key = server.ask("/sittings", {"opponent": "person", "length": 0, "position": START, "seed": 1})["key"]
        page.goto(f"{server.address}play/{key}")
        page.wait_for_selector(".hits .from")
        # What the page itself takes, on the processor.
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
        tools.send("Performance.enable")

        def spent() -> tuple[float, float]:
            metrics = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
            return server.cpu, sum(metrics[f"{what}Duration"] for what in ("Script", "Layout", "RecalcStyle"))

        click_on(page, 10)
        before = spent()
        click_on(page, arguments.clicks)
        each = [(now - then) / arguments.clicks for now, then in zip(spent(), before, strict=True)]
        rows.append(plain("CPU of a click: server, page", f"{1000 * each[0]:.1f} ms, {1000 * each[1]:.1f} ms", ""))
        with rolling(server):
            rows.append(row("click to the new board", click_on(page, arguments.clicks), "95 % in 50 ms"))
            page.goto("about:blank")
            page.goto(f"{server.address}analyse")
            page.wait_for_selector("#depth:has-text('2-ply')")
            page.evaluate(WATCH_PLAYS)
            dice = [f"{high}{low}" for high in range(1, 7) for low in range(1, high + 1)]
            for number in range(arguments.rolls):
                page.evaluate(ROLL, dice[number % len(dice)])
                page.wait_for_function("(number) => times.length > number", arg=number)
            times = [each / 1000 for each in page.evaluate("times")]
            rows.append(row("roll to its first plays, 0-ply", times, "150 ms"))
    return rows


# Many at once


def positions(count: int) -> list[str]:
    from sixprime import Engine
    from sixprime.game.ids import encode_xgid
    from sixprime.game.state import MatchState

    found = zip(*_measure.decisions(Engine(threads=1, plies=0), count, 1), strict=True)
    return [f"XGID={encode_xgid(position, MatchState(dice=dice)).removeprefix('XGID=')}" for position, dice in found]


class Client:
    """Somebody who analyses one position after the other."""

    def __init__(self, name: str, server: Server, ids: list[str], chance: random.Random) -> None:
        self.name, self._server, self._ids, self._chance = name, server, ids, chance
        self.first: list[float] = []
        self.deep: list[float] = []
        self.spent: list[float] = []
        self.games = 0
        self.errors: list[str] = []

    async def run(self, until: float) -> None:
        while time.perf_counter() < until:
            try:
                await self.analyse(self._chance.choice(self._ids), until)
            except (OSError, ValueError, RuntimeError, asyncio.IncompleteReadError) as error:
                self.errors.append(f"{self.name}: {type(error).__name__} {error}")

    async def analyse(self, text: str, until: float) -> None:
        """A position at 2 plies, then rolled out for some seconds."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server.port, limit=1 << 24)
        begun, cpu, patience = time.perf_counter(), self._server.cpu, self._chance.uniform(0, 6)
        asked = urlencode({"id": text, "plies": 2, "trials": 1296, "count": 3, "page": self.name})
        writer.write(f"GET {API}/analysis?{asked} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        deep = False
        try:
            status = await reader.readline()
            if b" 200 " not in status:
                raise RuntimeError(f"{status!r} {await reader.read(2000)!r}")
            while True:
                if deep and time.perf_counter() > min(until, begun + patience):
                    return
                line = await asyncio.wait_for(reader.readline(), 60)
                if not line:
                    raise RuntimeError("the stream has ended early")
                if not line.startswith(b"data: "):
                    continue
                piece, now = json.loads(line[6:]), time.perf_counter() - begun
                match piece["kind"]:
                    case "problem":
                        raise RuntimeError(piece["message"])
                    case "end":
                        return
                    case "plays" if piece["plies"] == 0:
                        self.first.append(now)
                    case "plays" if piece["plies"] == 2:
                        self.deep.append(now)
                        self.spent.append(self._server.cpu - cpu)
                        deep = True
                    case "rollout":
                        self.games += 36
        finally:
            writer.close()


class Crowd:
    """Clients at one server, and what it takes."""

    def __init__(self, server: Server, seconds: float) -> None:
        self._server, self._seconds = server, seconds
        self._before = server.cpu

    def rows(self, clients: Any, cpu: Rows) -> Rows:
        """What became of it; the clients have left a moment ago. cpu: rows of what each answer took."""
        spent, memory = self._server.cpu - self._before, self._server.memory()
        time.sleep(1)
        idle = self._server.cpu
        time.sleep(2)
        idle = self._server.cpu - idle
        first, deep = ([each for client in clients for each in getattr(client, name)] for name in ("first", "deep"))
        counts, games = sorted(len(client.deep) for client in clients), sorted(client.games for client in clients)
        errors = [error for client in clients for error in client.errors]
        for error in errors[:5]:
            print(error, file=sys.stderr)
        return [
            row(f"{len(clients)} at once: 0-ply", first, "", 1, "s"),
            row(f"{len(clients)} at once: 2-ply", deep, "3 s", 1, "s"),
            *cpu,
            plain("positions of each, least and most", f"{counts[0]} to {counts[-1]}", "alike"),
            plain("games rolled out of each, least and most", f"{games[0]} to {games[-1]}", "alike"),
            plain("errors", str(len(errors)), "0"),
            plain("cores of CPU that the server got", f"{spent / self._seconds:.2f}", ""),
            plain("memory, the most", f"{memory:.0f} MB", "300 MB"),
            plain("CPU of 2 s after they have left", f"{idle:.2f} s", "0"),
        ]


def crowd(arguments: Any) -> Rows:
    ids = positions(200)
    with serving() as server:
        clients = [
            Client(f"client-{number}", server, ids, random.Random(number)) for number in range(arguments.clients)
        ]

        async def together() -> None:
            until = time.perf_counter() + arguments.seconds
            await asyncio.gather(*(client.run(until) for client in clients))

        asyncio.run(clients[0].analyse(START, 0.0))
        clients[0].first, clients[0].deep, clients[0].spent = [], [], []
        measured = Crowd(server, arguments.seconds)
        asyncio.run(together())
        cpu = [each for client in clients for each in client.spent]
        return measured.rows(clients, [row("CPU of the server until then, of all", cpu, "", 1, "s")])


# Many browsers

READER = """async ({ ids, seconds, patience, number }) => {
  const told = { first: [], deep: [], games: 0, errors: [] }, until = performance.now() + 1000 * seconds;
  const part = (name) => document.querySelector(name), here = () => document.body.dataset.xgid;
  // True when it is so, false after so many milliseconds.
  const seen = (so, most) => new Promise((done) => {
    const end = (value) => (watch.disconnect(), clearTimeout(timer), done(value));
    const watch = new MutationObserver(() => so() && end(true)), timer = setTimeout(() => end(false), most);
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    if (so()) end(true);
  });
  for (let turn = 0; performance.now() < until; turn++) {
    const before = here(), id = ids[(number * 61 + turn * 7) % ids.length], begun = performance.now();
    const wait = async (so, times) => {
      const found = await seen(so, 60000);
      if (found) times.push((performance.now() - begun) / 1000);
      else told.errors.push(`${id}: ${part("#toast").textContent || "nothing for a minute"}`);
      return found;
    };
    location.hash = encodeURIComponent(id);
    if (!(await wait(() => here() !== before && part("#result .candidates li"), told.first))) continue;
    if (!(await wait(() => part("#depth").textContent.startsWith("2-ply"), told.deep))) continue;
    part("#roll").click();
    // A rollout that is known goes on from where it was.
    const trials = () => +(part("#result").dataset.trials || 0);
    let known = 0;
    await seen(() => ((known ||= trials()), part("#stop").disabled), 1000 * patience);
    told.games += trials() - known;
    part("#stop").click();
  }
  return told;
}"""
PATIENCE = 3
"""Seconds that each lets a rollout go on."""


class Reader:
    """A browser that analyses one position after the other."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.first, self.deep, self.games, self.errors = (told[name] for name in ("first", "deep", "games", "errors"))


def browsers(arguments: Any) -> Rows:
    from playwright.async_api import async_playwright

    if web_process.CHROMIUM is None:
        sys.exit("start, pages and browsers need Chromium")
    ids = positions(200)

    async def together(server: Server) -> tuple[Crowd, list[Reader]]:
        async with async_playwright() as driver:
            options: dict[str, Any] = {"executable_path": web_process.CHROMIUM, "args": web_process.SWITCHES}
            chromium = await driver.chromium.launch(**options)
            pages: list[Any] = []
            said: list[str] = []

            def answered(answer: Any) -> None:
                if answer.status >= 400:
                    said.append(f"{answer.status} {answer.url}")

            for _ in range(arguments.clients):
                context = await chromium.new_context(viewport={"width": 1280, "height": 850}, reduced_motion="reduce")
                pages.append(await context.new_page())
                pages[-1].on("pageerror", lambda error: said.append(str(error)))
                pages[-1].on("response", answered)
                await pages[-1].goto(f"{server.address}analyse")
            for page in pages:
                await page.wait_for_selector("#depth:has-text('2-ply')", timeout=60_000)
            measured = Crowd(server, arguments.seconds)
            asked = {"ids": ids, "seconds": arguments.seconds, "patience": PATIENCE}
            told = await asyncio.gather(*(page.evaluate(READER, asked | {"number": n}) for n, page in enumerate(pages)))
            await chromium.close()
        found = [Reader(each) for each in told]
        found[0].errors += said
        return measured, found

    with serving() as server:
        measured, readers = asyncio.run(together(server))
        return measured.rows(readers, [])


# Killed


def kill(arguments: Any) -> Rows:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        found = web_process.kill(Path(home), arguments.clients, arguments.kills)
    for problem in found.problems[:20]:
        print(problem, file=sys.stderr)
    return [
        plain(f"{arguments.clients} games, killed {arguments.kills} times: acts answered", str(found.acts), ""),
        plain("games that are not as they were", str(len(found.problems)), "0"),
        row("a game resumed after the restart", found.times, ""),
    ]


# Random requests


def fuzz(arguments: Any) -> Rows:
    from web_requests import run

    begun = time.process_time()
    found = run(arguments.requests, arguments.seed)
    answers = " ".join(f"{status}: {count}" for status, count in sorted(found.statuses.items()))
    for problem in found.problems[:20]:
        print(problem, file=sys.stderr)
    return [
        plain(f"{arguments.requests:,} random requests", answers, "documented"),
        plain("answers that are not documented, or tell of others", str(len(found.problems)), "0"),
        plain("CPU of all", f"{time.process_time() - begun:.0f} s", ""),
    ]


def main() -> None:
    parser = _measure.options(__doc__, pairs=1, gnubg=False)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what is measured, by default all")
    parser.add_argument("--starts", type=int, default=5, help="of the server (%(default)s)")
    parser.add_argument("--clicks", type=int, default=150, help="on the board (%(default)s)")
    parser.add_argument("--rolls", type=int, default=42, help="of which plays are shown (%(default)s)")
    parser.add_argument("--clients", type=int, default=20, help="at once (%(default)s)")
    parser.add_argument("--seconds", type=float, default=300, help="that they analyse (%(default)s)")
    parser.add_argument("--kills", type=int, default=3, help="of the server (%(default)s)")
    parser.add_argument("--requests", type=int, default=100_000, help="at random (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the requests (%(default)s)")
    arguments = parser.parse_args()
    work: dict[str, Callable[[Any], Rows]] = dict(zip(PARTS, (start, pages, crowd, browsers, kill, fuzz), strict=True))
    rows = [["what", "median", "95 %", "most", "aim"]]
    for name in arguments.parts or PARTS:
        rows += work[name](arguments)
    _measure.show({"rows": rows[1:]}, arguments.json, "The browser", rows)


if __name__ == "__main__":
    _main.run(main)

"""Random requests to the server of `sixprime web`, and what may be answered to them.

Most requests are well formed: made of the classes of the messages, with keys, positions and plays that are known; the
rest is spoilt at one place. Every sitting has a player of a name of its own, by which an answer about another one would
be known. `run` is used by the tests, and by `benchmarks/web.py` with many more.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import pytest
from msgspec import inspect

from sixprime.paths import sample_match
from sixprime.settings.tree import KEYS
from sixprime.web import messages as m
from sixprime.web.app import create_app
from sixprime.web.house import House
from sixprime.web.openapi import ERRORS
from sixprime.web.operations import API, OPERATIONS, Operation

ASKERS = 6
"""Who ask at the same time, each of sittings of his own."""
DIFFERENT = 12
"""Items of a list that differ."""
SITTINGS = 8
"""That each of them keeps asking about."""
CALM = 50
"""Requests after which nothing goes on any more that an earlier one has begun at a sitting."""
LONGEST = 100
"""Seconds that an answer may take."""
IDS = (
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:3:0:5:10",
    "XGID=-BB--------------------bb-:0:0:1:00:0:0:0:1:10",
    "XGID=-BB--------------------bb-:0:0:1:66:0:0:0:0:10",
    "XGID=-CC--------------------cc-:1:1:1:D:0:0:0:1:10",
    "4HPwATDgc/ABMA",
    "4HPwATDgc/ABMA:cIgRAAAAAAAA",
    "no position",
    "XGID=" + "-" * 26,
    "<script>alert(1)</script>",
    "\0",
    "🎲" * 30,
    "",
)
PLAYS = ("8/5 6/5", "24/23 13/10", "8 6", "bar/22", "", "off", "13/11(2) 6/4(2)", "99/98", "<b>", "8/5 6/5 " * 24)
WORDS = (
    "",
    "expert",
    "beginner",
    "casual",
    "person",
    "invited",
    "nobody",
    "standard",
    "nackgammon",
    "hypergammon",
    "\x7f",
)
STRANGE = (None, True, -1, 0, 7, 26, 1 << 70, -0.5, 1e308, "", "x" * 300, [], [1], {}, {"do": "roll"}, [[[]]])
COSTLY = ("report", "report_transcript", "write_position", "drill", "answer_drill", "answer")
"""Operations for which the engine works longer; they are asked more rarely."""
OF_THE_USER = ("/library", "/quiz", "/sittings", "/results")
"""Where everything tells of all that the user has, if there is no key."""
SETTINGS = ("1", "true", "no", "0.5", "world class", "", "x" * 50)
_TAG = re.compile(r"Zq[0-9a-f]{6}")


@dataclass
class Found:
    """What a run has found out. statuses: how often each was answered; problems: answers that may not be."""

    statuses: Counter[int] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class Answer:
    """What came of a request."""

    def __init__(self, status: int, kind: str, body: bytes) -> None:
        self.status, self.kind, self.body = status, kind, body


async def ask(
    app: Any,
    method: str,
    target: str,
    body: bytes = b"",
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),),
    events: int = 1 << 30,
    patience: float = LONGEST,
) -> Answer:
    """Asks an application as a server would. events: pieces of the answer after which whoever asks has gone, or else
    after so many seconds."""
    path, _, query = target.partition("?")
    given = {"host": "127.0.0.1", "content-length": str(len(body))} | dict(headers)
    answers: list[Any] = []
    pieces = 0
    asked, left = False, asyncio.Event()

    async def receive() -> Any:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": body, "more_body": False}
        with suppress(TimeoutError):
            await asyncio.wait_for(left.wait(), patience)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal pieces
        answers.append(message)
        pieces += bool(message.get("body"))
        if pieces >= events:
            left.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "scheme": "http",
        "server": ("127.0.0.1", 8640),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    try:
        await asyncio.wait_for(app(scope, receive, send), LONGEST)
    except Exception:
        # Starlette tells whoever asks, and then whoever runs it.
        if not answers or answers[0]["status"] != 500:
            raise
    kind = dict(answers[0]["headers"]).get(b"content-type", b"").decode()
    return Answer(answers[0]["status"], kind, b"".join(each.get("body", b"") for each in answers[1:]))


class Sitting:
    """A sitting as whoever asks about it knows it. tag: of the name of its player."""

    def __init__(self, tag: str, own: str, guest: str | None) -> None:
        self.tag, self.keys = tag, [own, *([guest] if guest else [])]
        self.seen: Any = None
        self.touched = 0


class Asker:
    """One who asks at random."""

    def __init__(self, app: Any, number: int, seed: int, found: Found) -> None:
        self.app, self.number, self.found = app, number, found
        self.chance = random.Random(f"{seed} {number}")
        self.sittings: list[Sitting] = []
        # Keys, and the tags that they open.
        self.reports: dict[str, set[str] | None] = {}
        self.made = self.asked = 0

    async def run(self, count: int) -> None:
        """Asks so often."""
        for _ in range(count):
            pick = self.chance.random()
            self.asked += 1
            if pick < 0.002:
                await self.picture()
            elif pick < 0.01:
                await self.stream()
            elif pick < 0.011:
                await self.file()
            elif pick < 0.03:
                await self.strange()
            elif pick < 0.05 or not self.sittings:
                await self.sit_down()
            elif pick < 0.35:
                await self.play()
            else:
                await self.operation(self.chance.choice(OPERATIONS))
            if self.chance.random() < 0.1 and self.sittings:
                await self.compare(self.chance.choice(self.sittings))

    def said(self, what: str, answer: Answer, allowed: set[str] | None = None, keys: tuple[str, ...] = ()) -> None:
        """Looks at an answer. allowed: tags that may be in it; keys: that may not."""
        text = answer.body.decode(errors="replace")
        self.found.statuses[answer.status] += 1
        self.found.names[what.split()[0]] += 1
        problem = ""
        if answer.status not in {200, *ERRORS}:
            problem = "is no documented status"
        elif answer.status != 200:
            try:
                msgspec.json.decode(answer.body, type=m.Refused)
            except msgspec.ValidationError as error:
                problem = f"has a body that is not documented: {error}"
        if allowed is not None and not set(_TAG.findall(text)) <= allowed:
            problem = "tells of another sitting"
        if any(key in text for key in keys):
            problem = "tells a key that is somebody else's"
        if problem:
            self.found.problems.append(f"{what}: {answer.status} {problem}: {text[:300]}")

    async def sit_down(self) -> None:
        """A sitting of its own name."""
        tag = f"Zq{self.number:02x}{self.made:04x}"
        self.made += 1
        asked = {
            "opponent": self.chance.choice(["person", "invited", "beginner"]),
            "name": tag,
            "length": self.chance.choice([0, 1, 3]),
            "tutor": self.chance.random() < 0.3,
            "position": self.chance.choice([*IDS[:4], "", ""]),
            "seed": self.chance.randrange(1000),
        }
        if self.chance.random() < 0.3:
            asked["minutes"] = 5
        answer = await ask(self.app, "POST", f"{API}/sittings", json.dumps(asked).encode())
        self.said(f"sit_down {asked}", answer, set())
        if answer.status == 200:
            opened = json.loads(answer.body)
            self.sittings = [*self.sittings, Sitting(tag, opened["key"], opened["invitation"])][-SITTINGS:]

    def keys_of_others(self, sitting: Sitting, key: str) -> tuple[str, ...]:
        """Those that an answer to this key may not tell."""
        hidden = [each for other in self.sittings if other is not sitting for each in other.keys]
        return (*hidden, *(sitting.keys[:1] if key != sitting.keys[0] else ()))

    async def play(self) -> None:
        """What the one at a sitting may do, most of the time."""
        sitting = self.chance.choice(self.sittings)
        key = self.chance.choice(sitting.keys)
        hidden = self.keys_of_others(sitting, key)
        answer = await ask(self.app, "GET", f"{API}/sittings/{key}")
        self.said("see", answer, {sitting.tag}, hidden)
        if answer.status != 200:
            return
        told = json.loads(answer.body)
        acts = [*told["acts"], *(["undo"] if told["undo"] else []), *(["resign"] if told["offers"] else [])]
        if not acts:
            # Programs play only while somebody looks on.
            answer = await ask(self.app, "GET", f"{API}/sittings/{key}/events", events=8, patience=0.2)
            self.said("follow", answer, {sitting.tag}, hidden)
            sitting.seen, sitting.touched = None, self.asked
            return
        asked: dict[str, Any] = {"do": self.chance.choice(acts), "number": told["number"]}
        asked["anyway"] = self.chance.random() < 0.8
        if asked["do"] == "play":
            asked["play"] = await self.legal(key, told["entry"], sitting, hidden)
        await self.send_act(sitting, key, asked, hidden)

    async def send_act(self, sitting: Sitting, key: str, asked: dict[str, Any], hidden: tuple[str, ...]) -> None:
        answer = await ask(self.app, "POST", f"{API}/sittings/{key}/acts", json.dumps(asked).encode())
        self.said(f"act {asked}", answer, {sitting.tag}, hidden)
        sitting.seen, sitting.touched = None, self.asked

    async def legal(self, key: str, entry: Any, sitting: Sitting, hidden: tuple[str, ...]) -> str:
        """A play that is made chequer by chequer."""
        while not entry["done"]:
            source = self.chance.choice(entry["sources"])
            asked = {"dice": entry["dice"], "moves": entry["moves"], "do": "move", "start": source["point"]}
            asked["end"] = self.chance.choice([None, *source["ends"]])
            answer = await ask(self.app, "POST", f"{API}/sittings/{key}/entry", json.dumps(asked).encode())
            self.said(f"enter {asked}", answer, {sitting.tag}, hidden)
            if answer.status != 200:
                return ""
            entry = json.loads(answer.body)
        return str(entry["play"])

    async def compare(self, sitting: Sitting) -> None:
        """A sitting to which nobody has done anything is as it was."""
        key = sitting.keys[0]
        answer = await ask(self.app, "GET", f"{API}/sittings/{key}")
        self.said("see", answer, {sitting.tag}, self.keys_of_others(sitting, key))
        if answer.status != 200:
            self.found.problems.append(f"{key}: {answer.status} for a sitting that is there")
            return
        told = json.loads(answer.body)
        if told["thinking"] or self.asked - sitting.touched < CALM:
            # What somebody has done a moment ago may still go on.
            return
        same = {name: value for name, value in told.items() if name not in ("clock", "version", "lines")}
        if sitting.seen is not None and sitting.seen != same:
            differs = [name for name in same if sitting.seen.get(name) != same[name]]
            self.found.problems.append(f"{key}: {differs} changed, though nobody has done anything there")
        sitting.seen = same

    async def operation(self, operation: Operation) -> None:
        """Any operation, with a body that is made at random."""
        if operation.name in COSTLY and self.chance.random() < 0.9:
            return
        sitting, key = None, ""
        if "{key}" in operation.path:
            if operation.path.startswith("/sittings") and self.sittings and self.chance.random() < 0.9:
                sitting = self.chance.choice(self.sittings)
                key = self.chance.choice(sitting.keys)
            else:
                key = self.chance.choice([*self.reports, "k" * 24, "%2e%2e", "é", "none"])
        target = API + operation.path.replace("{key}", key)
        body, headers = b"", (("content-type", "application/json"),)
        if operation.asks is not None:
            made = self.made_of(inspect.type_info(operation.asks))
            self.steer(operation, made)
            if self.chance.random() < 0.2:
                made = self.spoilt(made)
            body = json.dumps(made).encode()
            if self.chance.random() < 0.02:
                body = body[: self.chance.randrange(len(body) + 1)] + self.chance.randbytes(self.chance.randrange(3))
        if self.chance.random() < 0.01:
            headers = (("content-type", self.chance.choice(["text/plain", "", "application/x-www-form-urlencoded"])),)
        answer = await ask(self.app, operation.method, target, body, headers)
        allowed: set[str] | None = set(_TAG.findall(body.decode(errors="replace")))
        hidden: tuple[str, ...] = ()
        if sitting is not None:
            allowed, hidden = {sitting.tag}, self.keys_of_others(sitting, key)
            sitting.seen, sitting.touched = None, self.asked
        elif operation.path.startswith(OF_THE_USER) or operation.path == "/reports":
            allowed = None
        elif key in self.reports:
            allowed = self.reports[key]
        self.said(f"{operation.name} {body[:300]!r}", answer, allowed, hidden)
        if answer.status == 200 and operation.answers is not None:
            try:
                msgspec.json.decode(answer.body, type=operation.answers)
            except msgspec.ValidationError as error:
                self.found.problems.append(f"{operation.name} {body[:300]!r}: an answer of another kind: {error}")
            if operation.answers is m.Reported:
                self.reports = dict([*self.reports.items(), (json.loads(answer.body)["key"], allowed)][-8:])

    def steer(self, operation: Operation, made: Any) -> None:
        """Keeps what is asked from what takes long or leaves this machine."""
        if operation.name == "set":
            made |= {"name": self.chance.choice([*KEYS, "none", ""]), "value": self.chance.choice([None, *SETTINGS])}
        if "report" in made and self.reports:
            made["report"] = self.chance.choice([*self.reports])
        if operation.name == "sit_down":
            made["name"] = ""
            made["opponent"] = self.chance.choice(["person", "invited", "nobody.at.all", "beginner"])

    async def picture(self) -> None:
        """A picture of a position."""
        name = self.chance.choice(["board", "board", "cube", "temperature", "scores", "losers", "none", "../x"])
        asked = {"id": self.chance.choice(IDS), "theme": self.chance.choice(["", "auto", "dark", "none"])}
        answer = await ask(self.app, "GET", f"{API}/pictures/{name}.svg?{urlencode(asked)}")
        self.said(f"picture {name} {asked}", answer, set())
        if answer.status == 200 and not answer.body.startswith(b"<svg"):
            self.found.problems.append(f"{name} {asked}: no picture")

    async def stream(self) -> None:
        """Part of an analysis."""
        chance = self.chance
        asked: dict[str, Any] = {
            "id": chance.choice(IDS),
            "plies": chance.choice([0, 1, 2, 9, "x"]),
            "trials": chance.choice([0, 0, 0, 36, "-1"]),
            "count": chance.choice([0, 1, 2, 99]),
            "page": chance.choice(["a", "b", "", "\n"]),
            "cube": chance.choice([0, 1]),
            "chequers": chance.choice([15, 15, 15, 3, 0, 99]),
        }
        headers = (("last-event-id", chance.choice(["", "1", "r36", "r", "x", "9" * 30])),)
        target = f"{API}/analysis?{urlencode(asked)}"
        answer = await ask(self.app, "GET", target, b"", headers, events=chance.choice([1, 2, 3, 9]))
        self.said(f"analyse {asked}", answer, set())
        for line in answer.body.split(b"\n") if answer.status == 200 else ():
            if line.startswith(b"data: ") and json.loads(line[6:])["kind"] == "problem":
                self.found.problems.append(f"{asked}: {line.decode()}")

    async def file(self) -> None:
        """A file of a match, as it is or cut, or of nothing."""
        data = sample_match().read_bytes()[: self.chance.choice([0, 1, 300, 1500])]
        if self.chance.random() < 0.3:
            data = self.chance.randbytes(200)
        answer = await ask(self.app, "POST", f"{API}/reports", data, (("content-type", "application/octet-stream"),))
        self.said("send_match", answer, set())
        if answer.status == 200:
            self.reports[json.loads(answer.body)["key"]] = set()

    async def strange(self) -> None:
        """Places, methods and headers that are not meant."""
        chance = self.chance
        where = ["/", f"{API}/nothing", f"{API}/sittings/x/y", "/static/none.js", "/static/../app.py", "/play/", "/%00"]
        headers = chance.choice(
            [
                (),
                (("host", "evil.example"),),
                (("host", "[::1"),),
                (("origin", "http://evil.example"),),
                (("sec-fetch-site", "cross-site"),),
                (("content-length", "-1"),),
                (("content-length", "999999999"),),
                (("cookie", 'sixprime="'),),
                (("accept-language", "\x01;q=x"),),
            ]
        )
        method = chance.choice(["GET", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"])
        place = chance.choice([*where, f"{API}/about", f"{API}/settings", f"{API}/sittings"])
        answer = await ask(self.app, method, place, b"", headers)
        if method != "HEAD" or answer.body:
            self.said(f"strange {method} {place} {headers}", answer, set() if place != f"{API}/sittings" else None)

    def made_of(self, kind: Any) -> Any:
        """A value of a kind, as `msgspec.inspect` describes it."""
        chance = self.chance
        match kind:
            case inspect.StructType():
                return {
                    each.encode_name: self.made_of(each.type)
                    for each in kind.fields
                    if each.required or chance.random() < 0.6
                }
            case inspect.Metadata():
                return self.made_of(kind.type)
            case inspect.UnionType():
                return self.made_of(chance.choice(kind.types))
            case inspect.LiteralType():
                return chance.choice(kind.values)
            case inspect.IntType():
                low, high = -1000 if kind.ge is None else kind.ge, 1000 if kind.le is None else kind.le
                return chance.choice([low, high, chance.randint(low, high), min(high, low + chance.randrange(8))])
            case inspect.FloatType():
                low, high = kind.ge if kind.ge is not None else 0.0, kind.le if kind.le is not None else 1e6
                return chance.choice([high, chance.uniform(low, high)])
            case inspect.BoolType():
                return chance.random() < 0.5
            case inspect.StrType():
                return chance.choice(chance.choice([IDS, PLAYS, WORDS]))
            case inspect.VarTupleType() | inspect.ListType():
                low, high = kind.min_length or 0, kind.max_length if kind.max_length is not None else 4
                if high == 26:
                    return self.counts()
                length = chance.randint(low, high)
                # Of the longest, few are different: making them would take longer than answering.
                made = [self.made_of(kind.item_type) for _ in range(min(length, DIFFERENT))]
                return [made[i % DIFFERENT] for i in range(length)]
            case inspect.TupleType():
                return [self.made_of(each) for each in kind.item_types]
            case inspect.NoneType():
                return None
        return chance.choice(STRANGE)

    def counts(self) -> list[int]:
        """Chequers of a side by points."""
        made = [0] * 26
        for _ in range(self.chance.choice([0, 2, 14, 15, 15, 15, 16])):
            made[self.chance.randrange(self.chance.choice([7, 26]))] += 1
        made[0] = self.chance.choice([0, 0, 0, 1])
        return made

    def spoilt(self, made: Any) -> Any:
        """The same with something else at one place."""
        chance = self.chance
        if isinstance(made, dict) and made and chance.random() < 0.9:
            name = chance.choice([*made])
            change = chance.random()
            if change < 0.2:
                return {key: value for key, value in made.items() if key != name}
            if change < 0.3:
                return made | {"nobody": 1}
            return made | {name: self.spoilt(made[name])}
        if isinstance(made, list) and made and chance.random() < 0.5:
            at = chance.randrange(len(made))
            return [*made[:at], self.spoilt(made[at]), *made[at + 1 :]]
        return chance.choice(STRANGE)


def run(count: int, seed: int = 1) -> Found:
    """So many requests; a seed gives the same ones, as far as answers come in the same order."""
    found = Found()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, pytest.MonkeyPatch.context() as patch:
        # What is kept and set at random is nobody's.
        for name in ("SIXPRIME_DATA", "SIXPRIME_CONFIG"):
            patch.setenv(name, folder)
        house = House(folder=Path(folder), threads=1)
        app = create_app(house)
        askers = [Asker(app, number, seed, found) for number in range(ASKERS)]

        async def together() -> None:
            await asyncio.gather(*(asker.run(count // ASKERS) for asker in askers))

        try:
            asyncio.run(together())
            if house.desk.busy or house.streams:
                found.problems.append("work goes on though nobody asks any more")
        finally:
            house.close()
    return found

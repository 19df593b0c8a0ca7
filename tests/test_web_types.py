"""The scripts of `sixprime web` as TypeScript's checker sees them: what pages ask of the server, which elements they
have, and what is done with both. Needs `tsc` (`npm install -g typescript`)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("starlette")

from sixprime.report.svg import board_geometry
from sixprime.web import pages
from sixprime.web.openapi import document
from sixprime.web.operations import API

TSC = shutil.which("tsc")
STATIC = Path(pages.__file__).parent / "static"
pytestmark = pytest.mark.skipif(TSC is None, reason="needs tsc (npm install -g typescript)")

OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "lib": ["es2023", "dom", "dom.iterable"],
    "module": "es2022",
    "moduleResolution": "bundler",
    "noEmit": True,
    "noFallthroughCasesInSwitch": True,
    "noUnusedLocals": True,
    "noUnusedParameters": True,
    "skipLibCheck": True,
    "strict": True,
    "target": "es2022",
    "types": [],
    "useUnknownInCatchVariables": False,
}


def typed(schema: dict[str, Any], asked: bool) -> str:
    """A type of a JSON schema. asked: in a request, where what has a default may be missing and pairs are lists."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"Asked.{name}" if asked else name
    if "anyOf" in schema:
        return " | ".join(typed(each, asked) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    match schema.get("type"):
        case "array" if "prefixItems" in schema and not asked:
            return f"[{', '.join(typed(each, asked) for each in schema['prefixItems'])}]"
        case "array":
            inner = {typed(each, asked) for each in schema.get("prefixItems", [schema.get("items")])}
            return f"({' | '.join(sorted(inner))})[]"
        case "object":
            return interface(schema, asked)
        case "integer" | "number":
            return "number"
        case kind:
            return str(kind or "unknown")


def interface(schema: dict[str, Any], asked: bool) -> str:
    """The fields of an object."""
    needed = schema.get("required", ()) if asked else schema["properties"]
    fields = (f"{n}{'' if n in needed else '?'}: {typed(s, asked)};" for n, s in schema["properties"].items())
    return "{ " + " ".join(fields) + " }"


def messages() -> str:
    """The messages of the server, and what can be asked of it, as declarations."""
    found = document()
    known = found["components"]["schemas"]
    lines = [f"export interface {name} {interface(schema, False)}" for name, schema in known.items()]
    asked = (f"interface {name} {interface(schema, True)}" for name, schema in known.items())
    lines.append("export namespace Asked {\n" + "\n".join(asked) + "\n}")
    calls = []
    # The longer of two that fit is the one that is meant.
    for path, methods in sorted(found["paths"].items(), key=lambda each: -each[0].count("/")):
        place = "`" + re.sub(r"\{\w+\}", "${string}", path.removeprefix(API)) + "`"
        for method, told in methods.items():
            answer = told["responses"]["200"]["content"].get("application/json", {}).get("schema")
            body = told.get("requestBody", {"content": {}})["content"]
            if answer is None or "application/octet-stream" in body:
                continue
            given = f", body: {typed(body['application/json']['schema'], True)}" if body else ""
            if not body and method == "post":
                given = ', body: {}, method?: "POST"'
            patch = ', method: "PATCH"' if method == "patch" else ""
            calls.append(f"  (path: {place}{given}{patch}): Promise<{typed(answer, False)}>;")
    return "\n".join([*lines, "export interface Ask {", *calls, "}", ""])


class Elements(HTMLParser):
    """The elements of pages by their ids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, set[str]] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        name = dict(attributes).get("id")
        if name:
            self.found.setdefault(name, set()).add(tag)


def ids() -> str:
    """Which element is behind an id; anything where pages differ."""
    reader = Elements()
    for place in sorted(STATIC.glob("*.html")):
        reader.feed(place.read_text())
    lines = ["export interface Ids {"]
    for name, tags in reader.found.items():
        kind = f'HTMLElementTagNameMap["{min(tags)}"]' if len(tags) == 1 else "any"
        lines.append(f"  {json.dumps(name)}: {kind};")
    return "\n".join([*lines, "}", ""])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts with all that they import, as the server has it."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(STATIC, folder / "static")
    (folder / "static" / "catalogue.js").write_text(pages.module("en"))
    (folder / "static" / "naming.js").write_text(pages.naming_module("en"))
    # The drawing of reports takes what it is given.
    sizes = json.loads(msgspec.json.encode(board_geometry()))
    (folder / "static" / "drawing.js").write_text(
        f"export const sizes = {json.dumps(sizes)};\nexport const boards = /** @type {{any}} */ (null);\n"
    )
    (folder / "messages.d.ts").write_text(messages() + ids())
    paths = {"/static/*": [str(folder / "static" / "*")], "messages": [str(folder / "messages.d.ts")]}
    options = {"compilerOptions": OPTIONS | {"paths": paths}, "include": ["static/*.js"]}
    (folder / "tsconfig.json").write_text(json.dumps(options))
    return folder


def check(project: Path) -> list[str]:
    """What the checker complains of."""
    ended = subprocess.run([str(TSC), "--pretty", "false"], cwd=project, capture_output=True, text=True, timeout=120)
    return [line for line in (ended.stdout + ended.stderr).splitlines() if line.strip()]


def test_scripts_fit_the_server_and_their_pages(project: Path) -> None:
    assert check(project) == []


WRONG = """
import { $, ask, percent } from "/static/common.js";
(await ask("/positions", { text: "" })).pipes;
ask("/positions", { tex: "" });
ask("/nowhere");
ask("/quiz/next", { topics: ["nothing"] });
$("nobody");
$("board").value;
percent("x");
"""


def test_what_does_not_fit_is_found(project: Path) -> None:
    place = project / "static" / "wrong.js"
    place.write_text(WRONG.lstrip())
    try:
        found = check(project)
    finally:
        place.unlink()
    lines = {int(line.split("(")[1].split(",")[0]) for line in found if line.startswith("static/wrong.js(")}
    assert lines == set(range(2, WRONG.count("\n")))

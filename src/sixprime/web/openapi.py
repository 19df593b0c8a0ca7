"""The OpenAPI document of the server, made of the table of operations and the classes of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from sixprime._version import __version__
from sixprime.engine.filters import MAX_PLIES
from sixprime.web.messages import Refused, Reported, Told
from sixprime.web.operations import API, OPERATIONS

ERRORS = {
    400: "What was asked cannot be read, or is out of range",
    401: "The token is missing",
    403: "From a host or page that may not ask",
    404: "There is no such thing",
    409: "The rules or the state of the game do not allow it",
    413: "Too much was sent",
    415: "What was sent is no JSON",
    503: "An engine failed, or something here is in use",
}
"""Statuses of what could not be done; the body is a `Refused`."""
_KEY = {"type": "string", "pattern": "^[\\w-]{1,60}$"}
_ID = ("id", "Any ID of a position", {"type": "string", "maxLength": 2000})
_PAGE = ("page", "A name of the page that asks; its next question ends this one", {"type": "string", "maxLength": 40})


def _whole(name: str, what: str, most: int, built_in: int) -> tuple[str, str, dict[str, Any]]:
    return name, what, {"type": "integer", "minimum": 0, "maximum": most, "default": built_in}


_PLIES = _whole("plies", "How far to look ahead", MAX_PLIES, 2)
_TRIALS = _whole("trials", "Games of a rollout, 0 for none", 46656, 0)
_CHEQUERS = _whole("chequers", "Of each side, where the ID does not say", 15, 15)
_BOARD, _DRAWN = (_ID, _CHEQUERS, ("theme", "Of boards", {"type": "string"})), (_ID, _CHEQUERS, _PAGE)


@dataclass(frozen=True, slots=True)
class Place:
    """Something that is asked for by GET and answered by no JSON. asks: names, meanings and schemas of parameters.

    kind: of the answer; piece: what an event of a stream tells, a class of `messages` or values of its `kind`.
    """

    path: str
    name: str
    what: str
    kind: str
    asks: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    piece: Any = None


_SVG, _EVENTS = "image/svg+xml", "text/event-stream"
PLACES = (
    Place("/sittings/{key}/events", "follow", "Every change of a sitting, as the key lets see it", _EVENTS, (), Told),
    Place("/reports/{key}/events", "follow_report", "A report under way; made while followed", _EVENTS, (), Reported),
    Place(
        "/reports/{key}/closer",
        "look_closer",
        "A decision of a report, searched deeper or rolled out; what is found is kept in the report",
        _EVENTS,
        (
            _whole("game", "Of the match, from 0", 9999, 0),
            _whole("action", "Of the game, from 0", 99999, 0),
            ("kind", "What was decided", {"enum": ["play", "double", "take"], "default": "play"}),
            _PLIES,
            _TRIALS,
            _PAGE,
        ),
        ("plays", "cube", "compiling", "problem", "end"),
    ),
    Place(
        "/analysis",
        "analyse",
        "Plays or cube of a position, at 0 plies, then deeper, then rolled out",
        _EVENTS,
        (
            _ID,
            _PLIES,
            _TRIALS,
            _whole("count", "Plays that are rolled out", 10, 3),
            _CHEQUERS,
            ("cube", "1: the cube decision before the dice", {"enum": ["0", "1"], "default": "0"}),
            _PAGE,
        ),
        ("plays", "cube", "rollout", "compiling", "problem", "end"),
    ),
    Place("/pictures/board.svg", "picture", "A board", _SVG, _BOARD),
    Place("/pictures/board.png", "bitmap", "A board", "image/png", _BOARD),
    Place("/pictures/cube.svg", "cube_picture", "Cube theory", _SVG, _DRAWN),
    Place("/pictures/scores.svg", "score_map", "The decision at every score", _SVG, _DRAWN),
    Place("/pictures/temperature.svg", "temperature_map", "Every roll, then every reply", _SVG, _DRAWN),
    Place("/pictures/losers.svg", "market_losers", "Rolls after which a double is passed", _SVG, _DRAWN),
    Place("/reports/{key}/files/{form}", "save", "The match of a report as a file", "application/octet-stream"),
    Place("/openapi.json", "openapi", "This document", "application/json"),
)
"""What there is beside the operations."""


def document() -> dict[str, Any]:
    """The document, OpenAPI 3.1."""
    kinds = [kind for each in OPERATIONS for kind in (each.asks, each.answers) if kind is not None] + [Refused]
    unique = list(dict.fromkeys(kinds))
    schemas, components = msgspec.json.schema_components(unique, ref_template="#/components/schemas/{name}")
    by_kind = dict(zip(unique, schemas, strict=True))
    refused = {
        str(status): {"description": text, "content": {"application/json": {"schema": by_kind[Refused]}}}
        for status, text in ERRORS.items()
    }
    paths: dict[str, Any] = {}
    for each in OPERATIONS:
        answer = {"application/json": {"schema": by_kind[each.answers]}}
        told: dict[str, Any] = {
            "operationId": each.name,
            "summary": each.what,
            "responses": {"200": {"description": "Done", "content": answer}, **refused},
            **_parameters(each.path),
        }
        if each.asks is not None:
            told["requestBody"] = {"required": True, "content": {"application/json": {"schema": by_kind[each.asks]}}}
        paths.setdefault(API + each.path, {})[each.method.lower()] = told
    for place in PLACES:
        content: dict[str, Any] = {}
        if place.piece is not None:
            # Of the data of an event.
            kind = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": place.piece}}}
            content = {"schema": by_kind.get(place.piece, kind)}
        done = {"description": "Events with ids, by which a stream that was cut goes on" if place.piece else "Done"}
        told = {"operationId": place.name, "summary": place.what, **_parameters(place.path, place.asks)}
        told["responses"] = {"200": {**done, "content": {place.kind: content}}, **refused}
        paths.setdefault(API + place.path, {})["get"] = told
    sent = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    begun = {"description": "Begun", "content": {"application/json": {"schema": by_kind[Reported]}}}
    paths[f"{API}/reports"]["post"] = {
        "operationId": "send_match",
        "summary": "Analyse a match file of any format",
        "requestBody": {"required": True, "content": sent},
        "responses": {"200": begun, **refused},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Sixprime", "version": __version__, "description": "Backgammon: play, analyse, report."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _parameters(path: str, asks: Iterable[tuple[str, str, dict[str, Any]]] = ()) -> dict[str, Any]:
    """Those of a path and of what may follow it."""
    found = [
        {"name": name, "in": "path", "required": True, "schema": _KEY} for name in re.findall(r"{(\w+)}", path)
    ] + [
        {"name": name, "in": "query", "required": name == "id", "description": what, "schema": schema}
        for name, what, schema in asks
    ]
    return {"parameters": found} if found else {}

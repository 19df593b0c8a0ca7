"""The OpenAPI document of the server, made of the table of operations and the classes of its messages."""

from __future__ import annotations

from typing import Any

import msgspec

from sixprime._version import __version__
from sixprime.web.messages import Refused
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
STREAMS = (
    ("/sittings/{key}/events", "follow", "Every change of a sitting, as it is seen by the key", ("key",)),
    (
        "/reports/{key}/closer",
        "look_closer",
        "A decision of a report, searched deeper or rolled out; what is found is kept in the report",
        ("key", "game", "action", "kind", "plies", "trials", "page"),
    ),
    ("/analysis", "analyse", "Plays or cube of a position, ever deeper", ("id", "plies", "trials", "count", "page")),
)
PICTURES = (
    ("/pictures/board.svg", "picture", "image/svg+xml"),
    ("/pictures/board.png", "bitmap", "image/png"),
    ("/pictures/cube.svg", "cube_picture", "image/svg+xml"),
    ("/pictures/scores.svg", "score_map", "image/svg+xml"),
    ("/pictures/temperature.svg", "temperature_map", "image/svg+xml"),
    ("/pictures/losers.svg", "market_losers", "image/svg+xml"),
)


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
        }
        if "{key}" in each.path:
            told["parameters"] = [_parameter("key", "path")]
        if each.asks is not None:
            told["requestBody"] = {"required": True, "content": {"application/json": {"schema": by_kind[each.asks]}}}
        paths.setdefault(API + each.path, {})[each.method.lower()] = told
    for path, name, what, parameters in STREAMS:
        places = [_parameter(each, "path" if each == "key" else "query") for each in parameters]
        told = {"operationId": name, "summary": what, "parameters": places}
        stream = {"description": "Events, one JSON object each", "content": {"text/event-stream": {}}}
        paths[API + path] = {"get": told | {"responses": {"200": stream, **refused}}}
    for path, name, kind in PICTURES:
        picture = {"description": "The picture", "content": {kind: {}}}
        told = {"operationId": name, "summary": "A picture of a position", "parameters": [_parameter("id", "query")]}
        paths[API + path] = {"get": told | {"responses": {"200": picture, **refused}}}
    sent = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    done = {"application/json": {"schema": by_kind[next(k for k in unique if k.__name__ == "Reported")]}}
    paths[f"{API}/reports"] = {
        "post": {
            "operationId": "send_match",
            "summary": "Analyse a match file of any format",
            "requestBody": {"required": True, "content": sent},
            "responses": {"200": {"description": "Begun", "content": done}, **refused},
        }
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


def _parameter(name: str, place: str) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}

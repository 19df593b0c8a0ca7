"""Random requests to the server of `sixprime web`: documented answers, none of which tells of somebody else's game."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from web_requests import Found, run

COUNT = 1500


@pytest.fixture(scope="module")
def found() -> Found:
    return run(COUNT)


def test_answers_are_documented_and_tell_of_nobody_else(found: Found) -> None:
    assert found.problems == []


def test_most_of_what_is_asked_comes_as_far_as_it_can(found: Found) -> None:
    assert found.statuses[200] > COUNT / 2
    assert {400, 403, 404, 409, 415} <= set(found.statuses)
    assert found.names["act"] > COUNT / 20

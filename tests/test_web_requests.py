"""Random requests to the server of `sixprime web`: documented answers, none of which tells of somebody else's game."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from web_requests import Found, run

COUNT = 3000


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    with pytest.MonkeyPatch.context() as patch:
        # Settings are changed at random.
        patch.setenv("SIXPRIME_CONFIG", str(tmp_path_factory.mktemp("settings")))
        # So are the library and the quiz.
        patch.setenv("SIXPRIME_DATA", str(tmp_path_factory.mktemp("data")))
        return run(COUNT)


def test_answers_are_documented_and_tell_of_nobody_else(found: Found) -> None:
    assert found.problems == []


def test_most_of_what_is_asked_comes_as_far_as_it_can(found: Found) -> None:
    assert found.statuses[200] > COUNT / 2
    assert {400, 403, 404, 409, 415} <= set(found.statuses)
    assert found.names["act"] > COUNT / 20

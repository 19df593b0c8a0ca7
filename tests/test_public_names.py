"""The public names of the package stay as they are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sixprime
from sixprime import errors

HOME_OF = {name: f"sixprime.{module}" for module, names in sixprime._HOMES.items() for name in names}


def test_all_is_sorted_and_complete() -> None:
    assert sixprime.__all__ == sorted(sixprime.__all__)
    assert set(sixprime.__all__) == set(HOME_OF)
    assert set(sixprime.__all__) <= set(dir(sixprime))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(sixprime.__file__).read_bytes())
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        (alias.name, node.module) for block in blocks for node in block.body for alias in getattr(node, "names", ())
    }
    assert seen == set(HOME_OF.items())


@pytest.mark.parametrize("name", sixprime.__all__)
def test_name_can_be_used_and_is_documented(name: str) -> None:
    value = getattr(sixprime, name)
    assert value.__doc__
    assert getattr(sixprime, name) is value


def test_every_error_can_be_caught_by_its_public_name() -> None:
    found = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert found <= set(sixprime.__all__)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'analyze_everything'"):
        sixprime.analyze_everything  # noqa: B018


def test_typed() -> None:
    assert (Path(sixprime.__file__).parent / "py.typed").exists()

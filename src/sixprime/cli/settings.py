"""`sixprime settings`: what the user has set for all commands."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from sixprime.cli._common import Flag, Text, example, note, print_json
from sixprime.paths import settings_file

settings = App(name="settings", help_epilogue=example("settings set engine.level roller"))


@settings.default
def show(*, json: Flag = False) -> int:
    """Show every setting, its value, and whether you have set it or it is built in.

    Parameters
    ----------
    json
        Print one JSON object: the file, and what is set in it by section and key.
    """
    from sixprime.settings import load
    from sixprime.settings.file import written
    from sixprime.settings.tree import KEYS, SECTIONS

    tree = load()
    given = {section: getattr(tree, section).given() for section in SECTIONS}
    if json:
        print_json({"file": str(settings_file()), **given})
        return 0
    values = {}
    for key in KEYS.values():
        section, name = key.parts
        values[key.name] = written(given[section][name]) if name in given[section] else f"({key.built_in})"
    # A file may have a long name.
    width = min(max(map(len, values.values())), 40)
    before = ""
    for key in KEYS.values():
        section, name = key.parts
        if section != before:
            print(f"{chr(10) if before else ''}[{section}]")
            before = section
        print(f"  {name:<20} {values[key.name]:<{width}} {key.text}")
    print("\nIn brackets: not set, what is built in.")
    return 0


@settings.command(name="set", help_epilogue=example("settings set engine.level roller"))
def set_(key: str, value: Annotated[Text, Parameter(allow_leading_hyphen=True)], /) -> int:
    """Set one thing for all commands; options on the command line still come first.

    Parameters
    ----------
    key
        What to set, with its section: `engine.level`.
    value
        What it is from now on; a net or table must be there.
    """
    from sixprime.settings import change
    from sixprime.settings.file import value_of

    change(key, value_of(key, value))
    note(f"Set in {settings_file()}")
    return 0


@settings.command(help_epilogue=example("settings unset engine.level"))
def unset(key: str, /) -> int:
    """Take a setting back to what is built in.

    Parameters
    ----------
    key
        What was set, with its section: `engine.level`.
    """
    from sixprime.settings import change

    change(key, None)
    note(f"Not set in {settings_file()}")
    return 0


@settings.command(help_epilogue=example("settings path"))
def path() -> int:
    """Print where the settings are kept; the file need not be there."""
    print(settings_file())
    return 0

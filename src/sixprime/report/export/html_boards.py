"""Boards of HTML put together from pictures, in the three sets that GNU Backgammon knows, or drawn as SVG.

Player 0 is at the top, points are numbered as the player counts them who has to decide. A picture's text for readers
without pictures shows player 0 as X and player 1 as O, as its makers do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixprime.report.export.board import Scene
from sixprime.report.export.pages import Board
from sixprime.report.words import xml_text

_LOW = "+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+"
_HIGH = "+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+"
_EMPTY = "&nbsp;'"
_SIX = "&nbsp;" * 17
_BAR = "|&nbsp;&nbsp;&nbsp;|"

Attribute = Callable[[str], str]
"""An attribute that gives an element the look of a CSS class, with a blank before it; empty for no class."""


class _Pictures(Scene):
    """A scene with the names of the players and what stands before the names of pictures."""

    def __init__(self, board: Board, names: Sequence[str], url: str) -> None:
        super().__init__(board)
        self.names, self.url = names, url


def pictures(board: Board, names: Sequence[str], kind: str, url: str, attribute: Attribute) -> str:
    """A board of kind gnu, bbs or fibs2html. url: what stands before the name of a picture."""
    return {"gnu": _gnu, "bbs": _bbs, "fibs2html": _fibs2html}[kind](_Pictures(board, names, url), attribute)


def indent(kind: str, url: str) -> str:
    """What stands before lines of text, so that they begin where the board does."""
    return f'<img src="{xml_text(url)}b-indent.gif" alt=""/>' if kind == "fibs2html" else ""


def _identity(board: Board, attribute: Attribute) -> str:
    return (
        f"<span{attribute('positionid')}>Position ID: <tt>{board.position_id}</tt> "
        f"Match ID: <tt>{board.match_id}</tt><br/>"
    )


def _pips(scene: _Pictures) -> str:
    names = [xml_text(name) for name in scene.names]
    return "Pip counts: " + ", ".join(f"{name} {pips}" for name, pips in zip(names, scene.board.pips, strict=True))


# GNU Backgammon's own.


def _gnu(scene: _Pictures, attribute: Attribute) -> str:
    state = scene.state
    block = attribute("block")

    def image(name: str, alt: str) -> str:
        return f'<img src="{xml_text(scene.url)}b-{name}.png"{block} alt="{alt}"/>'

    def cell(name: str, alt: str, more: str = "") -> str:
        return f"<td{more}>{image(name, alt)}</td>"

    def tall(name: str, alt: str) -> str:
        return cell(name, alt, ' rowspan="2"')

    def point(count: int, place: int, colours: str, way: str) -> str:
        name = f"{colours[place % 2]}{way}"
        if not count:
            return tall(name, _EMPTY)
        letter = "o" if count > 0 else "x"
        return tall(f"{name}-{letter}{abs(count)}", f"{abs(count)}{letter.upper()}")

    def half(counts: Sequence[int], colours: str, way: str, middle: str) -> str:
        cells = [point(count, place, colours, way) for place, count in enumerate(counts)]
        return "".join((*cells[:6], middle, *cells[6:]))

    def bar(count: int, letter: str) -> str:
        side = "&nbsp;" * 19
        return f"|{side}|{f'&nbsp;{count}{letter}' if count else '&nbsp;' * 3}|{side}|"

    low, decider = scene.decider == 0, scene.decider
    owned = scene.owned
    top = cell(f"ct-{owned[0]}", f"| {owned[0]}&nbsp;|") if owned[0] else cell("ct", _BAR)
    under = bar(scene.bar[1], "O") if scene.bar[1] else ""
    bottom = cell(f"cb-{owned[1]}", f"| {owned[1]}&nbsp;|") if owned[1] else cell("cb", under)
    middle = cell(f"midc-{state.cube}", f"| {state.cube}&nbsp;|") if scene.centred else cell("midc", _BAR)
    sides = []
    for player, (name, letter) in enumerate((("midl", "x"), ("midr", "o"))):
        picture, alt = name, _SIX
        if state.on_roll == player and state.doubled:
            picture, alt = f"{name}-c{2 * state.cube}", f"{'&nbsp;' * 7}[{2 * state.cube}]{'&nbsp;' * 7}"
        elif state.on_roll == player and scene.dice:
            first, second = scene.dice[0], scene.dice[1]
            picture, alt = f"{name}-{letter}{scene.dice}", "&nbsp;" * 7 + f"{first}&nbsp;{second}" + "&nbsp;" * 7
        sides.append(cell(picture, alt, ' colspan="6"'))
    rows = [
        cell("lotopr" if low else "hitopr", _LOW if low else _HIGH, ' colspan="15"'),
        tall("loff-x0", "|") + half(scene.upper, "gr", "d", top) + tall(f"roff-x{scene.off[0]}", "|"),
        cell(f"bar-o{scene.bar[0]}", bar(scene.bar[0], "X")),
        cell(f"midlb-{'xo'[decider]}", "|") + sides[0] + middle + sides[1] + cell("midrb", "|"),
        tall("loff-o0", "|")
        + half(scene.lower, "rg", "u", cell(f"bar-x{scene.bar[1]}", _BAR))
        + tall(f"roff-o{scene.off[1]}", "|"),
        bottom,
        cell("hibotr" if low else "lobotr", _HIGH if low else _LOW, ' colspan="15"'),
    ]
    table = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return (
        '<table cellpadding="0" border="0" cellspacing="0" style="margin: 0; padding: 0; border: 0">\n'
        f"{table}</table>\n\n<p>{_pips(scene)}<br/>\n{_identity(scene.board, attribute)}\n</span></p>"
    )


# Of GammOnLine, which has the home boards on the left.


def _bbs(scene: _Pictures, attribute: Attribute) -> str:
    state = scene.state

    def image(name: str, alt: str = "", look: str = "boardimage") -> str:
        return f'<img src="{xml_text(scene.url)}{name}.gif"{attribute(look)} alt="{alt}"/>'

    def point(count: int, name: str) -> str:
        letter = "b" if count > 0 else "w"
        alt = f"{abs(count)}{'O' if count > 0 else 'X'}" if count else _EMPTY
        return image(f"p_{name}_{letter}_{abs(count)}" if count else f"p_{name}_0", alt)

    def half(counts: Sequence[int], kinds: tuple[str, str], bar: str) -> str:
        cells = [point(count, kinds[place % 2]) for place, count in enumerate(reversed(counts))]
        return "".join((*cells[:6], image(bar), *cells[6:]))

    low = scene.decider == 0
    owned = scene.owned
    centre = "b_center"
    if scene.dice:
        centre += f"{scene.dice[::-1]}{'left' if state.on_roll == 0 else 'right'}"
    lines = [
        image("n_low" if low else "n_high", look="boardimagetop"),
        image(f"o_w_{scene.off[0]}")
        + half(scene.upper, ("up", "ud"), f"b_up_{scene.bar[1]}")
        + image(f"c_up_{owned[0]}"),
        image(centre) + image("c_blank" if state.cube_owner is not None or state.crawford else "c_center"),
        image(f"o_b_{scene.off[1]}")
        + half(scene.lower, ("dd", "dn"), f"b_dn_{scene.bar[0]}")
        + image(f"c_dn_{owned[1]}"),
        image("n_high" if low else "n_low"),
    ]
    names = [xml_text(name) for name in scene.names]
    heads = [
        f'<th align="left">{name}</th><th align="right">{pips}</th>'
        for name, pips in zip(names, scene.board.pips, strict=True)
    ]
    body = "<br/>\n".join(lines)
    return (
        f'<table style="page-break-inside: avoid"><tr>{heads[0]}</tr><tr><td align="center" colspan="2">'
        f"{body}</td></tr>\n"
        f'<tr>{heads[1]}<th align="center" colspan="2"></th></tr><tr><td align="center" colspan="2">'
        f"{_identity(scene.board, attribute)}</span></td></tr></table>"
    )


# Of fibs2html.


def _fibs2html(scene: _Pictures, attribute: Attribute) -> str:
    state = scene.state

    def image(name: str, alt: str = "") -> str:
        return f'<img src="{xml_text(scene.url)}b-{name}.gif"{attribute("")} alt="{alt}"/>'

    def point(count: int, place: int, colours: str, way: str) -> str:
        name = f"{colours[place % 2]}{way}"
        letter, alt = ("x", "O") if count > 0 else ("o", "X")
        return image(f"{name}-{letter}{abs(count)}", f"{abs(count)}{alt}") if count else image(name, _EMPTY)

    def half(counts: Sequence[int], colours: str, way: str, bar: str) -> str:
        cells = [point(count, place, colours, way) for place, count in enumerate(counts)]
        return "".join((image("left", "|"), *cells[:6], bar, *cells[6:], image("right", "|")))

    low = scene.decider == 0
    way = "up" if low else "dn"
    top, bottom = f"top{way}", f"bot{way}"
    if state.doubled:
        top, bottom = (f"d{way}{2 * state.cube}", "indent") if low else ("indent", f"d{way}{2 * state.cube}")
    elif state.cube_owner is not None:
        top, bottom = (f"t{way}{state.cube}", bottom) if state.cube_owner == 0 else (top, f"b{way}{state.cube}")
    dice = ["", ""]
    if scene.dice:
        letter, ends = ("o", (_SIX, _BAR)) if state.on_roll == 0 else ("x", (_BAR, _SIX))
        faces = "".join(image(f"{letter}die{die}", _BAR) for die in scene.dice)
        dice[state.on_roll] = image("midg2", ends[0]) + faces + image("midg2", ends[1])
    middle = [side or image("midg", _SIX) for side in dice]
    upper = image("bar-x" + str(scene.bar[1]), f"|{scene.bar[1]}&nbsp;|") if scene.bar[1] else image("bar", _BAR)
    lower = image("bar-o" + str(scene.bar[0]), f"|&nbsp;{scene.bar[0]}O|") if scene.bar[0] else image("bar", _BAR)
    left = image("indent")
    lines = [
        left + image("lotopr" if low else "hitopr", _LOW if low else _HIGH),
        image(top) + half(scene.upper, "gy", "d", upper),
        image("indent" if state.doubled else "midin")
        + image("midl", "|")
        + middle[0]
        + image("midc", _BAR)
        + middle[1]
        + image("midr", "|"),
        image(bottom) + half(scene.lower, "yg", "u", lower),
        left + image("hibotr" if low else "lobotr", _HIGH if low else _LOW),
        f"{left}{_pips(scene)}",
        f"{left}{_identity(scene.board, attribute)}",
    ]
    body = "<br/>\n".join(lines[:-1])
    return f"<p>\n{body}<br/>\n{lines[-1]}\n</span></p>"

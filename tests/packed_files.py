"""Makes files of eXtreme Gammon and BGBlitz for tests and for the fuzzer."""

from __future__ import annotations

import gzip
import json
import struct
import zlib

from smile_writer import dumps

from sixprime.game.record import ActionKind, Match

RECORD = 2560
_KINDS = {
    ActionKind.DOUBLE: "adouble",
    ActionKind.TAKE: "atake",
    ActionKind.DROP: "apass",
    ActionKind.RESIGN: "aresign",
}


def xg_parts(data: bytes) -> tuple[bytes, bytes]:
    """The header of a file of eXtreme Gammon and the records of its game, which must come first."""
    header, picture = struct.unpack_from("<I", data, 8)[0], struct.unpack_from("<I", data, 20)[0]
    return data[:header], zlib.decompressobj().decompress(data[header + picture :])


def xg_file(header: bytes, members: dict[str, bytes], packed: bool = True) -> bytes:
    """A file of eXtreme Gammon around the members of its archive."""
    head = bytearray(header)
    struct.pack_into("<qI", head, 12, 0, 0)
    body, entries = b"", b""
    for name, content in members.items():
        stored = zlib.compress(content) if packed else content
        entry = bytearray(532)
        entry[: len(name) + 1] = bytes([len(name)]) + name.encode()
        struct.pack_into(
            "<iiiIB", entry, 512, len(content), len(stored), len(body), zlib.crc32(content), int(not packed)
        )
        entries += bytes(entry)
        body += stored
    index = zlib.compress(entries)
    check = zlib.crc32(body + index)
    return bytes(head) + body + index + struct.pack("<Iiiiii12x", check, len(members), 1, len(index), len(body), 1)


def bgf_content(match: Match) -> dict[str, object]:
    """A match as BGBlitz might hold it, as far as its keys are known: Green (-1) is player 0."""
    games = []
    for game in match.games:
        moves = []
        for action in game.actions:
            move: dict[str, object] = {"type": _KINDS.get(action.kind, "amove"), "player": 1 if action.player else -1}
            if action.dice is not None:
                steps = action.play.steps if action.play is not None else ()
                points = [*((step.start, step.end) for step in steps), *[(-1, -1)] * 4][:4]
                places = {"from": [start for start, _ in points], "to": [end for _, end in points]}
                move |= {"red": action.dice[0], "green": action.dice[1], **places, "ply": 2}
                equity = {"equity": 0.25, "matchEquity": 0.5, "myWins": 0.55, "oppWins": 0.45, "myGammon": 0.125}
                cube = {"eqNoDouble": 0.3, "eqDoubleTake": 0.2, "eqDoublePass": 1.0, "stateOnMove": "NO_DOUBLE"}
                move["equity"] = {"cube": 1, **equity, "cubeDecision": cube}
                if steps:
                    move["moveAnalysis"] = [{"move": places, "eq": equity, "played": True, "ply": 2}]
                move["luck"] = {"luckPlain": -0.005}
            moves.append(move)
        score = {"scoreGreen": game.score[0], "scoreRed": game.score[1]}
        games.append({**score, "wonPoints": game.points, "wasResignation": game.resigned, "moves": moves})
    final = list(match.games[-1].score)
    if match.games[-1].winner is not None:
        final[match.games[-1].winner] += match.games[-1].points
    names = {"nameGreen": match.players[0].name, "nameRed": match.players[1].name}
    rules = {"useCube": True, "useCrawford": match.crawford_rule, "useJacoby": match.jacoby}
    result = {"finalGreen": final[0], "finalRed": final[1]}
    return {"matchlen": match.length, **names, "date": "Nov 2, 2025", **rules, **result, "games": games}


def bgf_file(content: object, smile: bool = True) -> bytes:
    """A file of BGBlitz."""
    head = {"version": "0.00011825", "compression": "gzip", "encoding": "smile" if smile else "json"}
    body = dumps(content) if smile else json.dumps(content).encode()
    return json.dumps(head).encode() + b"\n" + gzip.compress(body, mtime=0)

"""`sixprime web` as it runs: killed, ended with pages open, over TLS, and when nobody looks any more."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("uvicorn")

from web_process import API, START, Server, kill, serving, until

from sixprime.paths import sample_match
from sixprime.web.desk import Desk, Work
from sixprime.web.house import House
from sixprime.web.messages import SittingAsked

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    made = House(folder=tmp_path_factory.mktemp("games"), threads=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def port(house: House) -> Iterator[int]:
    with serving(house) as address:
        yield int(address.rpartition(":")[2])


def begin(port: int, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> socket.socket:
    """Asks, and does not wait for the answer."""
    opened = socket.create_connection(("127.0.0.1", port))
    lines = f"{method} {API}{path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {kind}", f"Content-Length: {len(body)}"
    opened.sendall("\r\n".join((*lines, "", "")).encode() + body)
    return opened


@pytest.mark.parametrize("before", [b"", b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"])
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST /api/v1/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf",
    ],
)
def test_requests_that_do_not_come_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes, sent: bytes
) -> None:
    monkeypatch.setattr("sixprime.web.server.HEADERS", 0.2)
    monkeypatch.setattr("sixprime.web.server.CONTENT", 0.3)
    house = House(folder=tmp_path, threads=1)
    key = house.sit_down(SittingAsked(opponent="person")).key
    with serving(house) as address:
        port = int(address.rpartition(":")[2])
        stream = begin(port, "GET", f"/sittings/{key}/events")
        stream.settimeout(60)
        _hear(stream)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
            slow.sendall(before + sent)
            while slow.recv(1 << 16):
                pass
        # What has asked is not cut off.
        house.sitting(key).touch()
        _hear(stream)
        stream.close()


def _hear(stream: socket.socket) -> None:
    """Waits for an event, which may come in pieces."""
    read = b""
    while b"data: " not in read:
        piece = stream.recv(1 << 16)
        assert piece, f"cut off after {read!r}"
        read += piece


ROLLOUT = "/analysis?" + urlencode({"id": START, "plies": 0, "trials": 46656, "count": 3, "page": "one"})
MAP = "/pictures/scores.svg?" + urlencode({"id": START})


@pytest.mark.parametrize("path", [ROLLOUT, MAP, "/pictures/losers.svg?" + urlencode({"id": START})])
def test_work_stops_when_its_page_is_closed(
    house: House, port: int, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Work] = []
    really = Desk.begin

    def seen(desk: Desk, work: Work) -> None:
        really(desk, work)
        begun.append(work)  # some are at their end before anybody looks

    monkeypatch.setattr(Desk, "begin", seen)
    opened = begin(port, "GET", path)
    until(lambda: begun, "the work begins")
    opened.close()
    until(lambda: not house.desk.busy, "the work ends")


def test_a_hint_stops_when_nobody_waits_for_it(house: House, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    key = house.sit_down(SittingAsked(opponent="person", position=START)).key
    seen: list[object] = []

    def slow(key: str, stop: threading.Event | None = None) -> None:
        seen.append(stop)
        assert stop is not None
        assert stop.wait(60)
        seen.append("stopped")

    monkeypatch.setattr(house.sitting(key), "hint", slow)
    opened = begin(port, "POST", f"/sittings/{key}/hint")
    until(lambda: seen, "the hint begins")
    opened.close()
    until(lambda: seen[-1] == "stopped", "the hint is told to stop")
    until(lambda: not house.desk.busy, "the work ends")


def test_a_report_stops_when_its_page_is_closed(house: House, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.web.reports._LEFT", 0.0)
    monkeypatch.setattr("sixprime.web.reports._ASKED", 1e9)
    opened = begin(port, "POST", "/reports", sample_match().read_bytes(), "application/octet-stream")
    until(lambda: house.reports._at_hand, "the report is begun")
    opened.close()
    report = next(reversed(house.reports._at_hand.values()))
    page = begin(port, "GET", f"/reports/{report.key}/events")
    until(lambda: report._windows, "somebody follows it")
    page.close()
    until(lambda: report.told.state != "working", "the work ends")
    # Where the machine is fast, it was done before.
    assert report.told.state in ("stopped", "ready")
    assert report.is_set()


def test_programs_stop_when_the_last_page_is_closed(house: House, port: int) -> None:
    key = house.sit_down(SittingAsked(opponent="beginner", length=1, seed=3)).key
    sitting = house.sitting(key)
    pages = [begin(port, "GET", f"/sittings/{key}/events") for _ in range(2)]
    until(lambda: len(sitting._windows) == 2, "both look on")
    pages[0].close()
    until(lambda: len(sitting._windows) == 1, "one has gone")
    assert not sitting._stop.is_set()
    pages[1].close()
    until(sitting._stop.is_set, "the program is told to stop")


def test_what_was_worked_out_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    server = Server(tmp_path)
    asked = urlencode({"id": START, "plies": 0, "trials": 36, "count": 2})
    with http_answer(server.port, "GET", f"/analysis?{asked}") as answer:
        assert b'"kind":"end"' in answer.read()
    match = sample_match().read_bytes()
    with http_answer(server.port, "POST", "/reports", match, "application/octet-stream") as answer:
        report = json.loads(answer.read())["key"]
    board = server.ask("/positions", {"text": START})["board"]
    nodes = [{"parent": -1, "label": "Position", "xgid": START, "board": board, "comment": "Why?"}]
    server.ask("/variations", {"key": "k" * 24, "nodes": nodes})
    server.end(signal.SIGKILL)
    server = Server(tmp_path, server.port)
    found = server.ask("/results")
    assert [each["trials"] for each in found["rollouts"]] == [36]
    assert [each["title"] for each in found["variations"]] == ["Why?"]
    # The work on it begins again when somebody looks at it.
    assert [(each["key"], each["state"]) for each in found["reports"]] == [(report, "stopped")]
    assert server.ask(f"/reports/{report}")["state"] == "working"
    server.end()


@contextmanager
def http_answer(
    port: int, method: str, path: str, body: bytes | None = None, kind: str = "application/json"
) -> Iterator[http.client.HTTPResponse]:
    """What a server answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, API + path, body, {"content-type": kind})
        yield connection.getresponse()
    finally:
        connection.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_twenty_games_go_on_after_their_server_was_killed(tmp_path: Path) -> None:
    found = kill(tmp_path, games=20, kills=2, longest=2.0)
    assert found.problems == []
    assert found.acts > 100


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_pages_that_are_open_do_not_hold_its_end_up(tmp_path: Path, how: signal.Signals) -> None:
    server = Server(tmp_path)
    key = server.ask("/sittings", {"opponent": "person", "position": START})["key"]
    pages = [begin(server.port, "GET", path) for path in (f"/sittings/{key}/events", ROLLOUT)]
    for page in pages:
        assert page.recv(200)
    server.end(how)
    assert "Traceback" not in server.errors
    assert "ERROR" not in server.errors
    for page in pages:
        # The stream ends; it does not say that the analysis has.
        rest = b""
        while part := page.recv(1 << 16):
            rest += part
        assert b'"end"' not in rest
        page.close()


def certificate(folder: Path, name: str, password: bytes | None = None) -> tuple[Path, Path]:
    """Files of a certificate that signs itself, and of its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(made.public_bytes(pem))
    files[1].write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, locked))
    return files


def test_tls_by_certificate_files(tmp_path: Path) -> None:
    public, secret = certificate(tmp_path, "one")
    server = Server(tmp_path, more=["--certificate", str(public), "--certificate-key", str(secret)])
    try:
        assert server.address.startswith("https://")
        trusting = ssl.create_default_context(cafile=str(public))
        asked = http.client.HTTPSConnection("127.0.0.1", server.port, context=trusting, timeout=30)
        asked.request("GET", f"{API}/about", headers={"origin": f"https://127.0.0.1:{server.port}"})
        answer = asked.getresponse()
        assert answer.status == 200
        assert answer.getheader("strict-transport-security")
        answer.read()
        asked.request("POST", f"{API}/sittings", "{}", {"origin": f"http://127.0.0.1:{server.port}"})
        assert asked.getresponse().status == 403
        asked.close()
        strange = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=30)
        with pytest.raises(ssl.SSLCertVerificationError):
            strange.request("GET", "/")
        strange.close()
        plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        plain.request("GET", "/")
        with pytest.raises((http.client.HTTPException, OSError)):
            plain.getresponse()
        plain.close()
    finally:
        server.end()


def test_certificates_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    public, secret = certificate(tmp_path, "one")
    other, locked = certificate(tmp_path, "other", b"password")
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate")
    for files, wanted in (
        ((junk, secret), "PEM file"),
        ((public, None), "PEM file"),
        ((other, secret), "mismatch"),
        ((other, locked), "password"),
    ):
        asked = ["--certificate", str(files[0]), *(["--certificate-key", str(files[1])] if files[1] else [])]
        ended = subprocess.run(
            [sys.executable, "-m", "sixprime", "web", "--port", "0", *asked], capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 2
        assert ended.stdout == ""
        assert wanted in ended.stderr
        assert str(files[0].name) in ended.stderr or str(files[1]) in ended.stderr
        assert ended.stderr.count("\n") == 1

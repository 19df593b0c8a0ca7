"""`sixprime web`: play and analyse in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sixprime.cli._common import Flag, Threads, UsageError, check_host, whole


def web(
    *,
    port: Annotated[int, whole(0, 65535)] = 8640,
    host: str = "127.0.0.1",
    token: str | None = None,
    name: Annotated[list[str] | None, Parameter(show_default=False)] = None,
    certificate: Annotated[Path | None, Parameter(show_default=False)] = None,
    certificate_key: Annotated[Path | None, Parameter(show_default=False)] = None,
    browser: Flag = False,
    threads: Threads = None,
) -> int:
    """Play and analyse in a browser; everything stays on this machine.

    Prints the address and serves until Ctrl-C. Games are kept at every moment. Needs the extra `web`.

    Parameters
    ----------
    port
        Where the server listens; 0 takes any free port.
    host
        The address it listens on. Any but this machine's own needs a token, which is in the printed address.
    token
        That token, of 16 characters or more; by default a new one each time.
    name
        A name under which others reach this machine.
    certificate
        File of a certificate, for TLS.
    certificate_key
        File of its key.
    browser
        Open the page in the browser.
    threads
        Threads of the engine, by default all cores.
    """
    if certificate_key is not None and certificate is None:
        raise UsageError("--certificate-key needs --certificate")
    for option, path in (("--certificate", certificate), ("--certificate-key", certificate_key)):
        if path is not None and not os.path.isfile(path):
            raise UsageError(f"{option} {path} is no file that is there")
    check_host(host)
    try:
        from sixprime.web.guard import LOCAL
        from sixprime.web.server import serve
    except ImportError as error:
        raise UsageError(f"sixprime web needs the extra web: pip install 'sixprime[web]' ({error})") from None

    for option, given in (("--token", token), ("--name", name)):
        if given and host in LOCAL:
            raise UsageError(f"{option} is for others on the network, whom --host {host} does not let in")

    def started(address: str) -> None:
        print(f"Sixprime is at {address}", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(
        host=host,
        port=port,
        token=token,
        names=name or (),
        certificate=certificate,
        certificate_key=certificate_key,
        threads=threads,
        started=started,
    )
    return 0

"""A PostgreSQL server of the tests' own: in a temporary folder, for a user without rights, gone with the tests."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_USERS = ("postgres", "nobody")
"""Whom the server runs as where the tests run as root, whom PostgreSQL refuses."""


def _binaries() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    return max((path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")), default=None)


@contextmanager
def postgresql() -> Iterator[str]:
    """The start of URLs of databases on the server, which the name of one completes. Skips where it is not there."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed: no initdb")
    pytest.importorskip("pg8000", reason="the driver of PostgreSQL is not installed")
    user = next((pwd.getpwnam(name) for name in _USERS if _is_known(name)), None) if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_user: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    data, port = folder / "data", _free_port()
    try:
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "grader", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=folder,
            env=environment,
            **as_user,
        )
        options = ("-h", "127.0.0.1", "-p", str(port), "-k", folder, "-F", "-c", "max_connections=40")
        server = subprocess.Popen(
            [binaries / "postgres", "-D", data, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            **as_user,
        )
        try:
            _wait_for(port, server)
            yield f"postgresql://grader@127.0.0.1:{port}/"
        finally:
            server.send_signal(signal.SIGQUIT)  # at once: nobody needs what it holds
            server.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_known(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("the server does not answer")


def new_database(server: str, name: str) -> str:
    """The URL of a new, empty database."""
    from sqlalchemy import create_engine, text

    engine = create_engine(server.replace("postgresql:", "postgresql+pg8000:") + "postgres")
    for attempt in range(100):  # the server may still be starting
        try:
            with engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT").execute(text(f"CREATE DATABASE {name}"))
            break
        except Exception:
            if attempt == 99:
                raise
            time.sleep(0.1)
    engine.dispose()
    return server + name

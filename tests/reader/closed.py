"""Runs `grade` where the network is closed: what reaches for a network or a name server is killed by the kernel, and so
are the processes that it starts. A command that ends well there has sent nothing and has not tried to.

A bare socket, made without looking up where it leads, is refused instead: so workers try whether they are confined.
"""

import ctypes
import errno
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_NUMBERS: Final = {"x86_64": (0xC000003E, 41, 425), "aarch64": (0xC00000B7, 198, 425)}
"""The kernel's name of the architecture, `socket` and `io_uring_setup`."""
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NO_SUCH_CALL, _NETWORK_IS_DOWN = 0x00050000 | errno.ENOSYS, 0x00050000 | errno.ENETDOWN


def can_close() -> bool:
    """Whether this machine's kernel can close the network for a process."""
    return sys.platform == "linux" and platform.machine() in _NUMBERS and ctypes.CDLL(None).prctl(21, 0, 0, 0, 0) >= 0


def close() -> None:
    """Close the network for this process and all that it starts, for good."""
    machine, socket_, ring = _NUMBERS[platform.machine()]
    load, equal, masked, give = 0x20, 0x15, 0x54, 0x06
    lines = [
        (load, 0, 0, 4),
        (equal, 1, 0, machine),
        (give, 0, 0, _KILL),
        (load, 0, 0, 0),  # the call
        (equal, 0, 1, ring),
        (give, 0, 0, _NO_SUCH_CALL),
        (equal, 1, 0, socket_),
        (give, 0, 0, _ALLOW),
        (load, 0, 0, 16),  # the family
        (equal, 0, 1, socket.AF_UNIX),
        (give, 0, 0, _ALLOW),
        (equal, 0, 5, socket.AF_INET),
        (load, 0, 0, 24),  # the type, less its flags
        (masked, 0, 0, 0xF),
        (equal, 0, 2, socket.SOCK_STREAM),
        (load, 0, 0, 32),  # the protocol, which whoever looks up an address knows
        (equal, 1, 0, 0),
        (give, 0, 0, _KILL),
        (give, 0, 0, _NETWORK_IS_DOWN),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    pointer = struct.pack("@HP", len(lines), ctypes.addressof(program))
    if libc.prctl(22, 2, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the network cannot be closed")


def run_closed(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of Python (`-m grader …`) with the network closed."""
    return subprocess.run(
        [sys.executable, "-m", "tests.reader.closed", *map(str, command)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


KILLED: Final = -signal.SIGSYS
"""What a process returns that was killed for reaching for a network."""

if __name__ == "__main__":
    close()
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])

"""Linux's means to confine a process: Landlock for files, seccomp for system calls, capabilities for root.

Called through ctypes, as no maintained binding with a permissive licence covers these. Sources of the numbers and
structures: the kernel's `include/uapi/linux/landlock.h`, `seccomp.h`, `filter.h`, `audit.h`, `capability.h` and
`prctl.h`; of the system calls `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (which
64-bit ARM uses). How they are meant to be used: docs.kernel.org/userspace-api/landlock.html and seccomp_filter.html.

Every function here concerns the calling process and cannot be undone.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_IS_LINUX: Final = sys.platform == "linux"

# prctl.h
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_KEEP_CAPABILITIES, _SET_NAME, _GET_NAME = 1, 4, 8, 15, 16
_GET_NO_NEW_PRIVILEGES = 39
_GET_SECCOMP, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES, _SET_MEMORY_NAME = 21, 22, 38, 0x53564D41

# landlock.h
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE, _TRUNCATE = (
    1 << bit for bit in (0, 1, 2, 3, 4, 5, 7, 8, 14)
)
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights over files each version knows; from the fifth on all 16."""
_READ: Final = _READ_FILE | _READ_FOLDER
_WRITE: Final = _READ | _WRITE_FILE | _REMOVE_FOLDER | _REMOVE_FILE | _MAKE_FOLDER | _MAKE_FILE | _TRUNCATE
_RUN: Final = _READ_FILE | _EXECUTE
_OF_FILES: Final = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE
_NETWORK, _SCOPES = 0b11, 0b11
"""No TCP port may be bound or connected to (from version 4); no signal may leave, no abstract socket be reached (6)."""

# capability.h
_CAPABILITIES_VERSION = 0x20080522
_READ_ANY_FILE: Final = (1 << 2, 1 << 1)
"""Root's rights to read any file, and to read or write any file, where it lacks the first, as in many containers."""

# filter.h, seccomp.h, audit.h
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_MACHINES: Final = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of the architecture, and the column in the tables below."""

_ALLOWED: Final = """
    access 21 - | arch_prctl 158 - | brk 12 214 | capget 125 90 | chdir 80 49 | chmod 90 - | clock_getres 229 114
    clock_gettime 228 113 | clock_nanosleep 230 115 | close 3 57 | close_range 436 436 | copy_file_range 326 285
    creat 85 - | dup 32 23 | dup2 33 - | dup3 292 24 | epoll_create1 291 20 | epoll_ctl 233 21 | epoll_pwait 281 22
    epoll_wait 232 - | eventfd2 290 19 | exit 60 93 | exit_group 231 94 | faccessat 269 48 | faccessat2 439 439
    fadvise64 221 223 | fchdir 81 50 | fchmod 91 52 | fchmodat 268 53 | fdatasync 75 83 | flock 73 32 | fstat 5 80
    fstatfs 138 44 | fsync 74 82 | ftruncate 77 46 | futex 202 98 | get_robust_list 274 100 | getcpu 309 168
    getcwd 79 17 | getdents 78 - | getdents64 217 61 | getegid 108 177 | geteuid 107 175 | getgid 104 176
    getgroups 115 158 | getitimer 36 102 | getpgid 121 155 | getpgrp 111 - | getpid 39 172 | getppid 110 173
    getpriority 140 141 | getrandom 318 278 | getresgid 120 150 | getresuid 118 148 | getrlimit 97 -
    getrusage 98 165 | getsid 124 156 | gettid 186 178 | gettimeofday 96 169 | getuid 102 174 | lseek 8 62 | lstat 6 -
    madvise 28 233 | membarrier 324 283 | mincore 27 232 | mkdir 83 - | mkdirat 258 34 | mmap 9 222 | mprotect 10 226
    mremap 25 216 | msync 26 227 | munmap 11 215 | nanosleep 35 101 | newfstatat 262 79 | open 2 - | openat 257 56
    pipe 22 - | pipe2 293 59 | poll 7 - | ppoll 271 73 | pread64 17 67 | preadv 295 69 | pselect6 270 72
    pwrite64 18 68 | read 0 63 | readahead 187 213 | readlink 89 - | readlinkat 267 78 | readv 19 65 | rename 82 -
    renameat 264 38 | renameat2 316 276 | rmdir 84 - | rseq 334 293 | rt_sigaction 13 134 | rt_sigpending 127 136
    rt_sigprocmask 14 135 | rt_sigreturn 15 139 | rt_sigsuspend 130 133 | rt_sigtimedwait 128 137
    sched_get_priority_max 146 125 | sched_get_priority_min 147 126 | sched_getaffinity 204 123 | sched_getattr 315 275
    sched_getparam 143 121 | sched_getscheduler 145 120 | sched_yield 24 124 | select 23 - | sendfile 40 71
    set_robust_list 273 99 | set_tid_address 218 96 | setitimer 38 103 | sigaltstack 131 132 | stat 4 - | statfs 137 43
    statx 332 291 | sysinfo 99 179 | times 100 153 | truncate 76 45 | umask 95 166 | uname 63 160 | unlink 87 -
    unlinkat 263 35 | utime 132 - | utimensat 280 88 | utimes 235 - | wait4 61 260 | write 1 64 | writev 20 66
"""
"""System calls that reading, computing and rendering need, with their numbers on x86_64 and aarch64. None makes a
process, a socket, a device, a link or a mount; files are a matter of Landlock."""

_ASKED: Final = {
    "kill": (62, 129), "tgkill": (234, 131), "clone": (56, 220), "clone3": (435, 435), "prctl": (157, 167),
    "fcntl": (72, 25), "ioctl": (16, 29), "prlimit64": (302, 261),
}  # fmt: skip
"""Those that are allowed or not by what they are asked for."""

_TO_RUN: Final = """
    execve 59 221 | vfork 58 - | waitid 247 95 | timer_create 222 107
    timer_settime 223 110 | timer_gettime 224 108 | timer_delete 226 111 | timerfd_create 283 85
    timerfd_settime 286 86 | timerfd_gettime 287 87 | sched_setaffinity 203 122 | epoll_create 213 - | eventfd 284 -
"""
"""More of them, for a process that may run the programs that Landlock leaves it."""

_THREAD, _NEW_NAMESPACES = 0x00010000, 0x7E020080
_SIGNAL_SETTINGS: Final = (8, 10, 15, 1026)
"""Commands of `fcntl` that make the kernel send signals to others: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY."""
_HARMLESS_CONTROLS: Final = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)
"""Of `ioctl`: what kind of terminal, its size, how much can be read, whether a file stays open over an exec."""


def landlock_version() -> int:
    """The version of Landlock that this kernel has switched on; 0 for none."""
    if not _IS_LINUX:
        return 0
    version: int = _libc().syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    return max(0, version)


def has_seccomp() -> bool:
    """Whether system calls can be filtered on this machine."""
    return _IS_LINUX and platform.machine() in _MACHINES and bool(_libc().prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0)


def no_new_privileges() -> None:
    """No program that is run gains rights, which the filters below ask for. Raises OSError."""
    _control(_SET_NO_NEW_PRIVILEGES, 1)


def has_no_new_privileges() -> bool:
    """Whether that holds for this process."""
    return _IS_LINUX and bool(_libc().prctl(_GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0) == 1)


def die_with_parent(signal: int) -> None:
    """Have the process end when the one that made it does, and let no other of the same user look into it. Raises
    OSError."""
    _control(_SET_DEATH_SIGNAL, signal)
    _control(_SET_DUMPABLE, 0)


def restrict_files(readable: Iterable[Path], writable: Iterable[Path], programs: Iterable[Path] = ()) -> None:
    """Leave nothing but these files, folders and programs to run, TCP and signals to others excluded where the
    kernel can do that. Paths that are not there are passed over. Raises OSError."""
    version = landlock_version()
    handled = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    fields = [handled, *([_NETWORK] if version >= 4 else []), *([_SCOPES] if version >= 6 else [])]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _called(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for paths, rights in ((readable, _READ), (writable, _WRITE), (programs, _RUN)):
            for path in paths:
                _permit(ruleset, path, rights & handled)
        _called(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _permit(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = rights if path.is_dir() else rights & _OF_FILES
        _called(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)


def become(user: int) -> None:
    """Turn from root into a user (and group) that only may read whatever root may; root stays what it is where it has
    no such right to keep. Raises OSError."""
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    owned = ctypes.create_string_buffer(24)
    if _libc().capget(header, owned) != 0:
        raise _last_error()
    permitted = struct.unpack("=6I", owned.raw)[1]
    kept = next((right for right in _READ_ANY_FILE if permitted & right), 0)
    if not kept:
        raise PermissionError(errno.EPERM, "root may not read all files here, so submissions could not be read")
    _control(_SET_KEEP_CAPABILITIES, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if _libc().capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)) != 0:
        raise _last_error()


def restrict_calls(*, runs: bool = False) -> None:
    """Leave only the system calls above: no sockets, no programs, no processes, no tracing, no signals to others. One
    that `runs` programs keeps those and processes. What is refused fails with an error, so that libraries go on. Raises
    OSError."""
    program = b"".join(struct.pack("=HBBI", *line) for line in _program(os.getpid(), runs=runs))
    content = ctypes.create_string_buffer(program)
    pointer = struct.pack("@HP", len(program) // 8, ctypes.addressof(content))
    if _libc().prctl(_SET_SECCOMP, 2, pointer, 0, 0) != 0:
        raise _last_error()


_Line = tuple[int, int, int, int]
"""An instruction of the kernel's filter: what, how many to skip if true, if false, and a value."""


def _program(process_id: int, *, runs: bool) -> list[_Line]:
    machine, column = _MACHINES[platform.machine()]
    asked = {name: numbers[column] for name, numbers in _ASKED.items()}
    lines = [(_LOAD, 0, 0, _MACHINE_AT), (_JUMP_IF_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL)]
    lines += [(_LOAD, 0, 0, _NUMBER_AT)]
    for entry in (_ALLOWED + (_TO_RUN if runs else "")).replace("\n", "|").split("|"):
        words = entry.split()
        for name, *numbers in zip(words[::3], words[1::3], words[2::3], strict=True):
            if numbers[column] != "-" and name not in asked:
                lines += [(_JUMP_IF_EQUAL, 0, 1, int(numbers[column])), (_RETURN, 0, 0, _ALLOW)]
    lines += _only(asked["kill"], 0, (process_id,), errno.EPERM)
    lines += _only(asked["tgkill"], 0, (process_id,), errno.EPERM)
    lines += _only(asked["prctl"], 0, (_SET_NAME, _GET_NAME, _SET_MEMORY_NAME, _GET_NO_NEW_PRIVILEGES), errno.EPERM)
    lines += _only(asked["ioctl"], 1, _HARMLESS_CONTROLS, errno.ENOTTY)
    lines += _only(asked["prlimit64"], 0, (0, process_id), errno.EPERM)
    refused = _REFUSE | errno.EPERM
    lines += _by_argument(
        asked["fcntl"], 1, [(_JUMP_IF_EQUAL, setting, refused) for setting in _SIGNAL_SETTINGS], _ALLOW
    )
    namespaces, threads = (_JUMP_IF_SET, _NEW_NAMESPACES, refused), (_JUMP_IF_SET, _THREAD, _ALLOW)
    if runs:
        lines += _by_argument(asked["clone"], 0, [namespaces], _ALLOW)
    else:
        lines += _by_argument(asked["clone"], 0, [namespaces, threads], refused)
    # The C library then falls back to `clone`, whose flags a filter can see.
    lines += [(_JUMP_IF_EQUAL, 0, 1, asked["clone3"]), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    return [*lines, (_RETURN, 0, 0, _REFUSE | errno.EPERM)]


def _only(number: int, argument: int, values: tuple[int, ...], refusal: int) -> list[_Line]:
    return _by_argument(number, argument, [(_JUMP_IF_EQUAL, value, _ALLOW) for value in values], _REFUSE | refusal)


def _by_argument(number: int, argument: int, cases: list[tuple[int, int, int]], otherwise: int) -> list[_Line]:
    """Return the filter lines for a system call whose result depends on one of its arguments: the comparison, value and
    outcome of each case."""
    lines = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)]
    for comparison, value, outcome in cases:
        lines += [(comparison, 0, 1, value), (_RETURN, 0, 0, outcome)]
    lines.append((_RETURN, 0, 0, otherwise))
    return [(_JUMP_IF_EQUAL, 0, len(lines), number), *lines]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(number: int, *arguments: object) -> int:
    result: int = _libc().syscall(number, *arguments)
    if result < 0:
        raise _last_error()
    return result


def _control(option: int, value: int) -> None:
    if _libc().prctl(option, value, 0, 0, 0) != 0:
        raise _last_error()


def _last_error() -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code))

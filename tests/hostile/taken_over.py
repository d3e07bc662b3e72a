"""What a worker does after somebody took it over through a hand-in: the student's id says what."""

import json
import os
import signal
import struct
import time
from pathlib import Path

from grader.pipeline.isolation import Send
from grader.pipeline.worker import SENT_RESULT, Job, grade_job

QUICK = ("garbage", "another", "climbing", "odd-signal", "undecodable", "forks")
SLOW = ("header", "flood", "closed", "disk", "many-small")
"""Those that only limits end."""


def taken_over(job: Job, send: Send) -> None:
    """Do harm for students with the name of a behaviour, and grade all others."""
    harm = {
        "header": lambda: _write_raw(struct.pack("!i", 1000) + b"only this"),
        "flood": lambda: [send(b"x" * 2**20) for _ in range(10_000)],
        "garbage": lambda: send(SENT_RESULT + b"[" * 100_000),
        "another": lambda: send(SENT_RESULT + _forged(job, "student-02")),
        "climbing": lambda: send(SENT_RESULT + _forged(job, "../../climbed")),
        "odd-signal": lambda: os.kill(os.getpid(), signal.SIGRTMIN + 3),
        "closed": lambda: (os.closerange(3, 100), time.sleep(60)),
        "undecodable": lambda: send(b"E\xff\xfe"),
        "forks": lambda: [_fork() for _ in range(1_000)],
        "disk": lambda: [_fill(job.work / str(number)) for number in range(1_000)],
        "many-small": lambda: [(job.work / str(number)).touch() for number in range(10**6)],
    }.get(job.source.student_id)
    if harm is None:
        grade_job(job, send)
        return
    harm()
    if job.source.student_id == "header":
        time.sleep(60)


def _write_raw(content: bytes) -> None:
    """Into every open pipe: one of them leads to the parent."""
    for number in range(3, 100):
        try:
            os.write(number, content)
        except OSError:
            continue


def _forged(job: Job, student: str) -> bytes:
    from grader.pipeline.order import failed_result

    result = json.loads(failed_result(job.source, job.lab, job.truth, "forged").to_json())
    result["student"]["id"] = student
    result["score"] = "20"
    return json.dumps(result).encode()


def _fork() -> None:
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except OSError:
        return


def _fill(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(512):
            file.write(b"x" * 2**20)

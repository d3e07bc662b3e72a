"""Who wrote an event file, by its name."""

import pytest

from grader.reading.events import origin_of


@pytest.mark.parametrize(
    ("name", "host", "pid", "number"),
    [
        ("events.out.tfevents.1700153813.lab-pc.4242.0", "lab-pc", 4242, 0),
        ("events.out.tfevents.1700153813.0123456789ab.4242.3", "0123456789ab", 4242, 3),
        ("events.out.tfevents.1700153813.123456789012.4242.3", "123456789012", 4242, 3),
        ("events.out.tfevents.1700153813.node7.cluster.example.org.4242.0", "node7.cluster.example.org", 4242, 0),
        ("events.out.tfevents.1700153813.10.0.0.7.4242.1", "10.0.0.7", 4242, 1),
        ("events.out.tfevents.1700153813.lab-pc.4242.0.v2", "lab-pc", 4242, 0),
        ("events.out.tfevents.1700153813.lab-pc.4242.0 (1)", "lab-pc", 4242, 0),
        ("events.out.tfevents.1700153813.lab-pc.4242.0_seed3", "lab-pc", 4242, 0),
        ("events.out.tfevents.1700153813.lab-pc.4242", "lab-pc", 4242, None),
        ("events.out.tfevents.1700153813.lab-pc", "lab-pc", None, None),
        ("events.out.tfevents.1700153813.lab-pc.v2", "lab-pc", None, None),
        ("events.out.tfevents.1700153813.123456789012", "123456789012", None, None),
        ("s3_late_events.out.tfevents.1700153813.lab-pc.4242.0", "lab-pc", 4242, 0),
        ("events.out.tfevents.1700153813", "", None, None),
    ],
)
def test_a_name_tells_the_process(name: str, host: str, pid: int | None, number: int | None) -> None:
    origin = origin_of(f"runs/valid/{name}")
    assert origin is not None
    assert (origin.started_at, origin.host, origin.pid, origin.number) == (1700153813.0, host, pid, number)


@pytest.mark.parametrize("name", ["log.txt", "events.out.tfevents", "events.out.tfevents.x.1", "tfevents.1/log"])
def test_other_names_tell_nothing(name: str) -> None:
    assert origin_of(name) is None

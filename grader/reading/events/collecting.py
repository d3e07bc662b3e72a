"""Events into points and texts."""

from collections.abc import Iterable
from typing import Final

from grader.reading.events.event import (
    DOUBLE,
    FLOAT,
    STEP,
    STEP_AT,
    WALL_TIME,
    Event,
    Value,
    event_of,
    plugin_of,
    scalar_event_head,
    scalar_head,
    value_of,
)
from grader.reading.events.points import Points, no_points
from grader.reading.events.records import Damage
from grader.reading.events.tensor import number_of, strings_of
from grader.reading.events.wire import MalformedError
from grader.reading.log import LoggedText

_SHORTEST: Final = 24
"""In bytes, less than any event with a wall time, a step and a scalar."""
_TEXT: Final = "text"
_TEXT_SUFFIX: Final = "/text_summary"
"""PyTorch's `add_text` and tensorboardX append it to the tag."""
_MOST_TAGS: Final = 10_000
_MOST_POINTS: Final = 4_000_000
_MOST_TEXTS: Final = 10_000
_MOST_CHARACTERS: Final = 4_000_000
"""Of all texts together."""


class Collector:
    """What the events say, taken in one by one; `left_out` counts the points and texts beyond what is kept."""

    def __init__(self) -> None:
        self.events = 0
        self.points: dict[str, Points] = {}
        self.texts: list[LoggedText] = []
        self.malformed = Damage()
        self.left_out = 0
        self._by_head: dict[bytes, Points] = {}
        self._by_event_head: dict[bytes, Points] = {}
        self._plugins: dict[str, str] = {}
        self._points = 0
        self._characters = 0

    def take(self, records: Iterable[tuple[int, bytes]]) -> None:
        """Take in the events of some records, each an offset and data. Malformed ones are counted.

        Almost every event is a wall time, a step, and one scalar under a known tag: its other bytes are known then.
        """
        known, wall_time_of, number_of_bytes = self._by_event_head.get, DOUBLE.unpack_from, FLOAT.unpack_from
        count = 0
        for at, payload in records:
            count += 1
            if len(payload) > _SHORTEST and payload[0] == WALL_TIME and payload[STEP_AT - 1] == STEP:
                step, begin = payload[STEP_AT], STEP_AT + 1
                if step > 0x7F:
                    step, begin = step & 0x7F | payload[begin] << 7, begin + 1
                if step > 0x3FFF:
                    step, begin = step & 0x3FFF | payload[begin] << 14, begin + 1
                if step <= 0x1F_FFFF and (points := known(payload[begin : -FLOAT.size])) is not None:
                    points.steps.append(step)
                    points.values.append(number_of_bytes(payload, len(payload) - FLOAT.size)[0])
                    points.wall_times.append(wall_time_of(payload, 1)[0])
                    continue
            try:
                self._take_event(event_of(payload))
            except MalformedError:
                self.malformed.add(at, len(payload))
        self.events += count

    def _take_event(self, event: Event) -> None:
        """Raises MalformedError when one of its values is malformed."""
        wall_time, step, messages = event
        self._points += len(messages)
        if self._points > _MOST_POINTS:
            self.left_out += len(messages)
            return
        known, number_of_bytes = self._by_head.get, FLOAT.unpack_from
        for message in messages:
            points = known(message[: -FLOAT.size])
            if points is not None:
                points.steps.append(step)
                points.values.append(number_of_bytes(message, len(message) - FLOAT.size)[0])
                points.wall_times.append(wall_time)
            else:
                self._take_value(value_of(message), step, wall_time)

    def _take_value(self, value: Value, step: int, wall_time: float) -> None:
        """Raises MalformedError."""
        number = value.number
        if number is None and value.tensor is not None:
            number = number_of(value.tensor)
            if number is None and self._plugin(value) == _TEXT:
                self._take_text(value.tag, step, strings_of(value.tensor) or [])
        if number is not None and (points := self._points_of(value.tag)):
            points.steps.append(step)
            points.values.append(number)
            points.wall_times.append(wall_time)

    def _points_of(self, tag: str) -> Points | None:
        points = self.points.get(tag)
        if points is None and len(self.points) < _MOST_TAGS:
            points = self.points[tag] = no_points()
            self._by_head[scalar_head(tag)] = self._by_event_head[scalar_event_head(tag)] = points
        self.left_out += points is None
        return points

    def _plugin(self, value: Value) -> str:
        """What the values of a tag mean; it may be told with the first of them only."""
        plugin = plugin_of(value.metadata)
        if plugin and len(self._plugins) < _MOST_TAGS:
            self._plugins.setdefault(value.tag, plugin)
        return self._plugins.get(value.tag, plugin)

    def _take_text(self, tag: str, step: int, strings: list[bytes]) -> None:
        text = "\n".join(string.decode("utf-8", "replace") for string in strings)
        self._characters += len(text)
        if len(self.texts) < _MOST_TEXTS and self._characters <= _MOST_CHARACTERS:
            self.texts.append(LoggedText(tag=tag.removesuffix(_TEXT_SUFFIX), step=step, text=text))
        else:
            self.left_out += 1

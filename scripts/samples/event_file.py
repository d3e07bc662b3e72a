"""TensorBoard event files from fixed times and values, so that the same input gives the same bytes."""

import io
from dataclasses import dataclass


@dataclass(frozen=True)
class Scalars:
    """What was logged at one moment: `wall_time` in seconds since 1970, `step` in optimiser updates."""

    wall_time: float
    step: int
    values: dict[str, float]


def event_file(opened: float, texts: dict[str, str], logged: list[Scalars]) -> bytes:
    """The bytes of an event file opened at `opened` (seconds since 1970): text summaries first, then scalars."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    buffer = io.BytesIO()
    writer = RecordWriter(buffer)
    writer.write(Event(wall_time=opened, file_version="brain.Event:2").SerializeToString())
    for tag, text in texts.items():
        writer.write(_text_event(opened, tag, text))
    for moment in logged:
        for tag, value in moment.values.items():
            event = Event(wall_time=moment.wall_time, step=moment.step)
            event.summary.value.add(tag=tag, simple_value=value)
            writer.write(event.SerializeToString())
    return buffer.getvalue()


def _text_event(wall_time: float, tag: str, text: str) -> bytes:
    """A text summary as PyTorch's SummaryWriter.add_text writes it."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    event = Event(wall_time=wall_time)
    value = event.summary.value.add(tag=f"{tag}/text_summary")
    value.metadata.plugin_data.plugin_name = "text"
    value.tensor.dtype = DT_STRING
    value.tensor.tensor_shape.dim.add(size=1)
    value.tensor.string_val.append(text.encode())
    bytes_of: bytes = event.SerializeToString()
    return bytes_of

"""Small files made for the tests of the readers."""

import hashlib
import json
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.intake.submission import Role, SubmittedFile

if TYPE_CHECKING:
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.compat.proto.tensor_pb2 import TensorProto


def submitted(folder: Path, path: str, content: bytes | str, role: Role = Role.REPORT) -> SubmittedFile:
    """A file on disk as intake would hand it on."""
    data = content.encode() if isinstance(content, str) else content
    location = folder / "stored"
    location.write_bytes(data)
    return SubmittedFile(
        path=path, role=role, size=len(data), sha256=hashlib.sha256(data).hexdigest(), location=location
    )


def stream(content: str, entries: str = "") -> str:
    """The body of an object that is a stream."""
    return (
        f"<< {entries + ' ' if entries else ''}/Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream"
    )


def to_unicode(*characters: str) -> str:
    """The body of a map that says that a font's codes stand for themselves."""
    codes = " ".join(f"<{ord(one):02x}> <{ord(one):04x}>" for one in characters)
    space = "1 begincodespacerange <00> <ff> endcodespacerange"
    return stream(
        f"/CIDInit /ProcSet findresource begin begincmap {space} {len(characters)} beginbfchar {codes} endbfchar "
        "endcmap end"
    )


def pdf(
    *pages: str,
    page_entries: str = "",
    letter_a: str = "",
    fonts: str = "",
    resources: str = "",
    objects: Sequence[str] = (),
) -> bytes:
    """A PDF by hand: one content stream per page, 612 x 792 points, F1 Helvetica, F2 its bold, F3 Courier. `letter_a`
    is what the fonts say that their letter A stands for. `fonts` and `resources` are entries of every page; in a PDF of
    one page without `letter_a`, further `objects` are numbered from 5."""
    further_fonts = fonts
    unicode = f"/ToUnicode {3 + 2 * len(pages)} 0 R" if letter_a else ""
    fonts = " ".join(
        f"/F{n} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding {unicode} >>"
        for n, name in ((1, "Helvetica"), (2, "Helvetica-Bold"), (3, "Courier"))
    )
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    for i, content in enumerate(pages):
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {page_entries} "
            f"/Resources << /Font << {fonts} {further_fonts} >> {resources} >> /Contents {4 + 2 * i} 0 R >>"
        )
        bodies.append(stream(content))
    if letter_a:
        units = letter_a.encode("utf-16-be").hex()
        codes = f"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <{units}> endbfchar"
        cmap = f"/CIDInit /ProcSet findresource begin begincmap {codes} endcmap end"
        bodies.append(stream(cmap))
    bodies += objects
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer << /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + (end + trailer).encode()


def text(x: float, y: float, words: str, size: float = 10, font: str = "F1") -> str:
    """Operators that draw words from (x, y), counted from the bottom left corner."""
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n"


def rule(x: float, y: float, width: float, height: float = 0.4) -> str:
    """Operators that draw a filled rectangle from (x, y), counted from the bottom left corner."""
    return f"{x} {y} {width} {height} re f\n"


def picture(x: float, y: float, width: float, height: float) -> str:
    """Operators that draw a grey picture of one pixel."""
    return f"q {width} 0 0 {height} {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 80> EI Q\n"


def curve(*points: tuple[float, float]) -> str:
    """Operators that draw a line through some points, as plots do."""
    (x, y), *rest = points
    return f"{x} {y} m " + " ".join(f"{x} {y} l" for x, y in rest) + " S\n"


def notebook(*cells: object) -> str:
    """The JSON of a format 4 notebook."""
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})


def record(payload: bytes) -> bytes:
    """One record of an event file."""
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    header = struct.pack("<Q", len(payload))
    return header + struct.pack("<I", masked_crc32c(header)) + payload + struct.pack("<I", masked_crc32c(payload))


def event_records(scalars: Iterable[tuple[str, int, float]], tensors: bool = False) -> list[bytes]:
    """The records of an event file, its version first. `tensors` logs as TensorFlow 2 does."""
    from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, types_pb2

    records = [record(event_pb2.Event(wall_time=1.0, file_version="brain.Event:2").SerializeToString())]
    for tag, step, value in scalars:
        if tensors:
            metadata = summary_pb2.SummaryMetadata(
                plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="scalars")
            )
            tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[value])
            point = summary_pb2.Summary.Value(tag=tag, tensor=tensor, metadata=metadata)
        else:
            point = summary_pb2.Summary.Value(tag=tag, simple_value=value)
        event = event_pb2.Event(wall_time=2.0, step=step, summary=summary_pb2.Summary(value=[point]))
        records.append(record(event.SerializeToString()))
    return records


def event(step: int, *values: "Summary.Value", wall_time: float = 2.0) -> bytes:
    """One record: an event with these values."""
    from tensorboard.compat.proto import event_pb2, summary_pb2

    summary = summary_pb2.Summary(value=values)
    return record(event_pb2.Event(wall_time=wall_time, step=step, summary=summary).SerializeToString())


def scalar(tag: str, value: float) -> "Summary.Value":
    """A scalar as PyTorch logs it."""
    from tensorboard.compat.proto import summary_pb2

    return summary_pb2.Summary.Value(tag=tag, simple_value=value)


def tensor(tag: str, content: "TensorProto", plugin: str = "scalars") -> "Summary.Value":
    """A tensor as TensorFlow 2 logs it, for the plugin that is to show it."""
    from tensorboard.compat.proto import summary_pb2

    data = summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin)
    return summary_pb2.Summary.Value(
        tag=tag, tensor=content, metadata=summary_pb2.SummaryMetadata(plugin_data=data) if plugin else None
    )


def text_summary(tag: str, *texts: str) -> "Summary.Value":
    """A text as PyTorch's `add_text` logs it."""
    from tensorboard.compat.proto import tensor_pb2, tensor_shape_pb2, types_pb2

    shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=len(texts))])
    strings = [text.encode() for text in texts]
    content = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, tensor_shape=shape, string_val=strings)
    return tensor(f"{tag}/text_summary", content, plugin="text")

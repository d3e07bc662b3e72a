"""Figures and tables with their captions."""

from grader.reading.document import Block, BlockKind


def with_captions(blocks: list[Block]) -> list[Block]:
    """The blocks of one float: a caption tells what the picture shows, and stands before a table's rows, wherever it
    was written."""
    captions = [block for block in blocks if block.kind is BlockKind.CAPTION]
    pictures = [block for block in blocks if block.kind is BlockKind.FIGURE and not block.text]
    rows = [index for index, block in enumerate(blocks) if block.kind is BlockKind.ROW]
    if rows and len(captions) == 1:
        rest = [block for block in blocks if block is not captions[0]]
        first = next(index for index, block in enumerate(rest) if block.kind is BlockKind.ROW)
        return [*rest[:first], captions[0], *rest[first:]]
    if not rows and captions and len(captions) == len(pictures):
        told = {id(picture): _described(picture, caption) for picture, caption in zip(pictures, captions, strict=True)}
        return [told.get(id(block), block) for block in blocks if block.kind is not BlockKind.CAPTION]
    return blocks


def _described(picture: Block, caption: Block) -> Block:
    place = {"line": caption.line, "file": caption.file}
    return picture.model_copy(update={"text": caption.text, "formulas": caption.formulas, **place})

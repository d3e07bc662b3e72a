"""Scatter plots and heatmaps, whose marks do not slope, are drawings."""

from grader.reading.pdf.drawings import Drawings, figure_boxes

Box = tuple[float, float, float, float]


def boxes(curved: list[Box]) -> list[Box]:
    drawings = Drawings([], [], [], [], [], [], [], curved, [])
    return figure_boxes(drawings, 600.0, 800.0)[1]


def spread(columns: int, rows: int, size: float = 4.0) -> list[Box]:
    return [
        (100.0 + 12 * column, 200.0 + 12 * row, 100.0 + 12 * column + size, 200.0 + 12 * row + size)
        for column in range(columns)
        for row in range(rows)
    ]


def test_marks_of_one_size_are_a_figure() -> None:
    assert len(boxes(spread(10, 9))) == 1


def test_bullets_and_letters_are_none() -> None:
    bullets = spread(1, 40)
    letters = [(box[0], box[1], box[2] + place % 7, box[3] + place % 5) for place, box in enumerate(spread(10, 9))]
    assert boxes(bullets) == []
    assert boxes(letters) == []

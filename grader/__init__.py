"""An automated grader for machine-learning labs in which a grade is a proof."""

__version__ = "1.0.0"

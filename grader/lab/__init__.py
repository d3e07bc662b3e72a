"""A lab: the instructor's questions and rubric, and the ground truth."""

"""What a course knows beside the hand-ins: who its students are, when they handed in, who has more time."""

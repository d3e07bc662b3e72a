"""Whether a lab is ready to be graded with: its files, what they ask for, its truth, and its reference answers."""

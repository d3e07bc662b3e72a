"""What other systems run, made from a lab: a check for students, and autograders for course systems."""

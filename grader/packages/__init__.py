"""Packages made from a lab for other systems: a check for students, and autograders for course systems."""

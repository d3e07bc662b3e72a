"""Grades kept, and handed on to other systems."""

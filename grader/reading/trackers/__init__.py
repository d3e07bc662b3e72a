"""Runs that trackers of experiments keep: a small reader for each format, from untrusted bytes to logs."""

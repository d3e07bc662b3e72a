"""Untrusted bytes in, submissions out."""

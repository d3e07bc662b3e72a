"""Logs that are text: what training scripts print, and the small files that they leave beside their models."""

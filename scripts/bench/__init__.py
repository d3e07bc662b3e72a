"""Figures with bars: `python -m scripts.bench [NAME…]`, where a name is a module of this folder."""

"""The meaning of words, whatever they are said about: this room knows no lab and no hand-in."""

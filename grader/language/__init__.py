"""What words mean, whatever they are said of: this room knows no lab and no hand-in."""

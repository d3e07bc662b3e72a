"""The self-check: students may see what was read of their hand-in before they submit it, and nothing of what is
right."""

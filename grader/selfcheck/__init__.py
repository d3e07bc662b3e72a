"""What students may see before they hand in: what was read of their hand-in, and nothing of what is right."""

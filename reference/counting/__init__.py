"""Parameter counts of any transformers architecture, from its configuration alone."""

"""Why a count is wrong: the slips over a model's own parts that would give just this number."""

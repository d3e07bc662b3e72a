"""One submission end to end, and a class of them, isolated from each other and in parallel."""

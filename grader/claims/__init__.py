"""The claims of a submission, with the place of every claim."""

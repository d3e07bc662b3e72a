"""What a submission claims, with the place of every claim."""

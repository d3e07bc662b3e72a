"""What a sentence says about a matter, as a small frozen model learned it from marked sentences."""

"""Training: takes marked examples and makes a frozen model, with a card that says what it decides and how often it
errs."""

"""From marked examples to a frozen model, with a card that says what it decides and how often it errs."""

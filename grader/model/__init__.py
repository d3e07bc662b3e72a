"""One frozen linear model of text: its features, what it says of short answers and sentences, and the file that holds
it. `grader.training` makes the files."""

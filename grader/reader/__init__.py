"""An optional language model that writes down what a text states; the checks judge, as without it."""

"""Ground truth from the real libraries, and the data of the labs."""

"""Find the meaning of words. This package knows neither labs nor submissions."""

"""What the instructor asks, and what is true."""

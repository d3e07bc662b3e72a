"""What only shows across students."""

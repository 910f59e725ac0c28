"""What machine this is, and what is installed on it."""

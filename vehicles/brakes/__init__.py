"""What holds the wheels back."""

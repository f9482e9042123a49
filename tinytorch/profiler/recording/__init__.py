"""Recording: clocks in a loop and in its loader, and what they saw. It knows no verdict."""

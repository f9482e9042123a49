"""Laws of exercise 10d."""

"""Laws of exercise 2b."""

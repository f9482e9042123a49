"""Laws of exercise 9b."""

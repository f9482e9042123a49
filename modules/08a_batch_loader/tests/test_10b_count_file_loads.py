"""Laws of exercise 10b."""

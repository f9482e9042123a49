"""Laws of exercise 7b."""

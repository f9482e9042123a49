"""Laws of exercise 11b."""

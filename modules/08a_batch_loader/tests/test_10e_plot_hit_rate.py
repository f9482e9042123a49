"""Laws of exercise 10e."""

"""Laws of exercise 10c."""

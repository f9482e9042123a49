"""Laws of exercise 11c."""

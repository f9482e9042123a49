"""Laws of exercise 9a."""

"""Laws of exercise 6a."""

"""Laws of exercise 8a."""

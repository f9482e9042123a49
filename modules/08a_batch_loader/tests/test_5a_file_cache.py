"""Laws of exercise 5a."""

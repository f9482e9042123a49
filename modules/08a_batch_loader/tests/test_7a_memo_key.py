"""Laws of exercise 7a."""

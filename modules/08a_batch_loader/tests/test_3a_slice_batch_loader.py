"""Laws of exercise 3a."""

"""Laws of exercise 2a."""

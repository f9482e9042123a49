"""Laws of exercise 4a."""

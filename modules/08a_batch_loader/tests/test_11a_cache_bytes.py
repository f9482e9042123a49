"""Laws of exercise 11a."""

"""Laws of exercise 10a."""

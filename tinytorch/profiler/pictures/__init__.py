"""Pictures of the results. matplotlib is imported when the first one is drawn."""

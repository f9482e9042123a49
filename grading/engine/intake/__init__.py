"""From what was handed in to one submission in memory: downloads, zips, folders."""

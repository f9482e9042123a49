"""Reads downloads, zips and folders; the result is one submission in memory."""

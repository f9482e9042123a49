"""What an author of a module uses:
release, bundle, scaffold, demo, and the proof of the course (`check`).
"""

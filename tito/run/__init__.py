"""Runs student code in processes of its own. The `*_worker.py` files run inside those processes."""

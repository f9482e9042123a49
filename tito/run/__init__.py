"""Student code in a process of its own, and the workers that run there."""

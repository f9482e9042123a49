"""Diagnosis: runs of a loader with parts left out or settings changed, and the verdict on them."""

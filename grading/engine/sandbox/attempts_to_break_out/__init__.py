"""Attempts to break one limit of a sandbox, which run inside it: `tito grade doctor` and the tests
make each of them. An attempt does no harm even if nothing stops it and root runs it, because at the
level without isolation it runs on the machine itself.
"""

from . import gain_privileges, reach_outside, take_memory
from .all_attempts import TEXTS, main

__all__ = ["TEXTS", "gain_privileges", "main", "reach_outside", "take_memory"]

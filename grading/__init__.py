"""The instructor's room: sources with answers, hidden tests, and the engine behind `tito grade`
and `tito dev`.
"""

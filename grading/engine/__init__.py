"""Plain functions behind `tito grade`: release, collect, autograde, mark, feedback, export. No
command line in here.
"""

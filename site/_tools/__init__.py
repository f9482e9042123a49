"""What builds and checks the site. It reads the other rooms as text and data; nothing imports it
but `tito site`, under the name site_tools.
"""

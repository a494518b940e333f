"""The tables of a mechanism file as data: keys, types, units, and what is wrong with them.

In: the text of a TOML file.  Out: a valid `Document`, or all its problems with their lines.
"""

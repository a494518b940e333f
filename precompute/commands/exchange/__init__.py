"""Commands that read and write files of other tools, a module each.

In: what the command line says.  Out: files in another tool's format, or a mechanism file from one, and what is told.
"""

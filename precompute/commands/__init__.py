"""The commands of `kinetab`, a module each: its options, and what they come to.  They print, and nobody else does.

In: what the command line says.  Out: text, files and an exit code.  `cli` imports the one that is asked for alone.
"""

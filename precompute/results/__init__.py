"""What commands print with `--json`, where results are not data of that form already.

In: results of stages.  Out: mappings of names, numbers and texts, in SI unless a unit is beside them; `docs/json.md`
has all keys, and a test compares them.
"""

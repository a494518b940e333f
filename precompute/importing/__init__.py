"""Suspensions that other programs describe.

In: a file of theirs.  Out: the text of a mechanism file, and what was taken, left out and assumed.

    formats.py                which format a file has, and its importer
    chrono.py, chrono_*.py    suspension JSON of Chrono::Vehicle
    point_table.py            hardpoints as CSV or XLSX
    teim.py                   TeimOrbit text with [HARDPOINT] and bushing property files
    explorer.py               YAML of suspension-explorer
    assetto.py                suspensions.ini of Assetto Corsa
    layouts.py, corner.py     what corners consist of, by the points of which they are made
    sides.py                  the right side of an axle, written out
    draft.py, drafted_text.py a mechanism file being put together, and its text with comments
    fields.py, notes.py       reading with all faults at once; what is told
"""

from precompute.importing.formats import FORMATS, Asked, Imported, imported

__all__ = ["FORMATS", "Asked", "Imported", "imported"]

"""Cams by mathematics: what a follower of a plane cam does, by the angle at which it meets the cam, piece by piece.

In: a profile in the cam's own plane, of lines and arcs or a polar table, and the kind of follower.  Out: a `Track`, a
function of an angle with derivatives, one closed form between two borders.
"""

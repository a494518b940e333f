"""The rig: a mechanism with wheels is moved and loaded, at exact closed kinematics and in exact static equilibrium.

In: a mechanism with wheels, what is held and what acts.  Out: states of rest, their tangents, records for the metrics
of `kc`, and curves of these.
"""

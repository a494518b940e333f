"""Inverse dynamics: the loads of every joint along a motion that is given, and what durability engineers make of them.

In: a mechanism, or an FMU whose coordinates are driven, and a motion over time.  Out: loads over time as samples, in
the axes asked for; their extremes and range pairs; files.

    motion.py   coordinates and forces over time, from columns or a CSV file; what leaves its range
    smooth.py   whether samples tell an acceleration
    watching.py which loads are asked for, in which axes
    ready.py    a mechanism with its coordinates, laws and what depends on what
    acting.py   what acts along a motion: forces of elements, ports and wheels, inertia
    devices.py  elements with formulas along it: states integrated, forces
    balancing.py  deflections that carry what acts
    exact.py    loads from exact kinematics, without tables
    driven.py   the same from an FMU
    rig_loads.py  the same over the cases of the rig, at rest
    axes.py     loads in the axes of a body
    record.py   the loads of all joints, and files of them
    counting.py extremes and range pairs
"""

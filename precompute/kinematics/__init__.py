"""Loops and motion at one configuration.

In: `Mechanism`.  Out: `Topology` (tree and cuts), `Configuration` (loops closed), B and dB (rates of all joints from
those of the independent coordinates), `Motion` (what measures are computed from), the reduced inertia.
"""

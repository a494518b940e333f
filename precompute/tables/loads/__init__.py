"""Loads and accelerations, which are read on request.

In: `LoadDependence` (what an opening moves), `Closure` and configurations.  Out: their fields, exact values of these
with slopes along stiff coordinates, and what is natural for them.
"""

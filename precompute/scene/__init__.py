"""What is drawn of a mechanism, once for all pictures and pages: lines, faces and points of bodies, and how these move.

In: a mechanism.  Out: a `Scene`, its parts at design; `Motion`s, poses of bodies over sliders, with their error.
"""

from precompute.scene.motion import Motion, case_motions, free_motion
from precompute.scene.parts import Item, Scene, scene

__all__ = ["Item", "Motion", "Scene", "case_motions", "free_motion", "scene"]

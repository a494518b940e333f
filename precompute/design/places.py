"""Where the places of a mechanism came from: every point and axis of it as a function of design variables.

document -> points -> places and axes of joints, rods, bushings, markers, wheels, bodies, measures -> mirror images
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.design.drawing import Drawing
from precompute.design.jets import Jet, columns
from precompute.design.moved import Design
from precompute.design.part_places import (
    BodyPlaces,
    CamPlaces,
    ConstraintPlaces,
    EndPlaces,
    FramePlaces,
    JointPlaces,
    RodPlaces,
    agree,
    body_places,
    bushing_places,
    cam_places,
    constraint_places,
    joint_places,
    marker_places,
    measure_places,
    mount_places,
    rod_places,
    wheel_places,
)
from precompute.design.variables import FORCES, Variable
from precompute.geometry.placement import Placement
from precompute.mechanism_file.document import entries_of, mirror_of, points_of
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.mirroring import Images
from precompute.mechanism_file.schema.document import MechanismFile
from precompute.mechanism_file.schema.measure_words import SIMPLE, Table
from precompute.mechanism_file.schema.wheel_tables import CoordinateOf
from precompute.model.bushings import bushings_across
from precompute.model.mechanism import Joint, Measure, Mechanism, Rod

NO_PLACE = Placement(np.eye(3))


@dataclass(frozen=True, eq=False)
class Places:
    """All places of a mechanism, by the names of its parts."""

    names: tuple[str, ...]  # of the variables
    joints: Mapping[str, JointPlaces]
    rods: Mapping[str, RodPlaces]
    bushings: Mapping[str, FramePlaces]
    markers: Mapping[str, FramePlaces]
    wheels: Mapping[str, FramePlaces]
    bodies: Mapping[str, BodyPlaces]
    constraints: Mapping[str, ConstraintPlaces]
    cams: Mapping[str, CamPlaces]
    measures: tuple[EndPlaces, ...]  # those with points or axes of their own

    @property
    def n(self) -> int:
        """Variables."""
        return len(self.names)

    def number(self, measure: Measure) -> int | None:
        """Of a measure among those with places of their own; None of one that has none."""
        own = (i for i, each in enumerate(self.measures) if each.of is measure)
        same = (i for i, each in enumerate(self.measures) if each.of.same(measure))
        return next(own, next(same, None))


def places(design: Design, names: Sequence[str]) -> Places:
    """The places of a mechanism as functions of some of its design variables.

    Raises:
        MechanismError: a variable is unknown.
    """
    n = len(names)
    changes = [Jet(np.zeros(()), np.eye(n)[k], np.zeros((n, n))) for k in range(n)]
    return Origins.of(design, names).places(changes)


@dataclass(frozen=True, eq=False)
class Origins:
    """The entries of a file, as places come from them; made once, for any number of designs."""

    mechanism: Mechanism
    file: MechanismFile
    images: Images
    there: Placement
    geometry: Geometry
    variables: tuple[Variable, ...]

    @classmethod
    def of(cls, design: Design, names: Sequence[str]) -> Origins:
        """Of a mechanism and some of its design variables.

        Raises:
            MechanismError: a variable is unknown.
        """
        mechanism, document = design.mechanism, design.document
        file, images = entries_of(document)
        there = mirror_of(document, mechanism.axes) if file.mirror is not None else NO_PLACE
        scale = design.units.measure()
        points = {name: scale(np.array(p)) for name, p in points_of(document, mechanism.axes).items()}
        chosen = tuple(design.chosen(names))
        return cls(mechanism, file, images, there, Geometry(design.units, points), chosen)

    def places(self, changes: Sequence[Jet]) -> Places:
        """With these changes of the variables."""
        names = tuple(v.name for v in self.variables)
        drawing = Drawing.of(self.geometry, self.variables, changes, self.images.get("points", {}), self.there.T)
        return _Builder(self.mechanism, self.file, self.images, self.there, drawing).places(names)

    def many(self, changes: Array) -> Places:
        """Of many designs at once, each with these changes (m, n) of the variables [SI]; values alone.

        What varies has a leading axis of m + 1 designs, the first of them unchanged; what does not, of one.
        """
        with_none = np.vstack([np.zeros(len(self.variables)), changes])
        return self.places([Jet.constant(column, 0) for column in with_none.T])


@dataclass(frozen=True, eq=False)
class _Builder:
    """Parts of the file first, then their images."""

    mechanism: Mechanism
    file: MechanismFile
    images: Images
    there: Placement
    drawing: Drawing

    def places(self, names: tuple[str, ...]) -> Places:
        m, file, drawing = self.mechanism, self.file, self.drawing
        entries = file.joints
        connections = {c.name: c for c in m.connections}
        bushings = self._with_images(
            "bushings", {n: bushing_places(m.bushing(n), e, drawing) for n, e in file.bushings.items()}, self._bushing
        )
        rods = {
            n: rod_places(c, entries[n], drawing) for n, c in connections.items() if n in entries and isinstance(c, Rod)
        }
        joints = {
            n: joint_places(c, entries[n], drawing)
            for n, c in connections.items()
            if n in entries and isinstance(c, Joint)
        }
        joints |= {n: mount_places(m.joint(n), bushings, self._across(n)) for n in self._mounts(joints, connections)}
        markers = {n: marker_places(m.marker(n), e, drawing) for n, e in file.markers.items()}
        wheels = {n: wheel_places(m.wheel(n), e, m.axes, drawing) for n, e in file.wheels.items()}
        bodies = {b.name: b for b in m.bodies}
        masses = {n: body_places(bodies[n], e, drawing) for n, e in file.bodies.items()}
        held = {c.name: c for c in m.constraints}
        constraints = {n: constraint_places(held[n], e, drawing) for n, e in file.constraints.items()}
        cams = {c.name: cam_places(c, entries[c.name], drawing) for c in m.cams if c.name in entries}
        return Places(
            names=names,
            joints=self._with_images("joints", joints, self._joint),
            rods=self._with_images("joints", rods, self._rod),
            bushings=bushings,
            markers=self._with_images("markers", markers, self._marker),
            wheels=self._with_images("wheels", wheels, self._wheel),
            bodies=self._with_images("bodies", masses, self._body),
            constraints=self._with_images("constraints", constraints, self._constraint),
            cams=self._with_images("joints", cams, self._cam),
            measures=tuple(self._measures()),
        )

    def _measures(self) -> Iterator[EndPlaces]:
        """Of measures that have places of their own, and of their images."""
        measures = measures_of(self.mechanism)
        for section, name, all_written in written_in(self.file):
            image = self.images.get(section, {}).get(name)
            for number, (of, written) in enumerate(zip(measures[section][name], all_written, strict=False)):
                for i, found in measure_places(of, written, self.drawing, (section, name)):
                    yield found
                    if image is not None:
                        yield self._end(measures[section][image][number].terms[i][1], found)

    def _mounts(self, joints: Mapping[str, Any], connections: Mapping[str, Any]) -> Iterator[str]:
        """The joints that the reader made for bushings, without images."""
        mirrored = {*self.images.get("joints", {}).values()}
        yield from (n for n, c in connections.items() if isinstance(c, Joint) and n not in joints and n not in mirrored)

    def _across(self, mount: str) -> Any:
        return bushings_across(self.mechanism.joint(mount), self.mechanism.bushings)

    # -- mirror images ------------------------------------------------------------------------------------------------

    def _with_images(self, section: str, own: dict[str, Any], image: Any) -> dict[str, Any]:
        """The places of a section and of its images."""
        found = {there: image(there, own[name]) for name, there in self.images.get(section, {}).items() if name in own}
        return own | found

    def _point(self, p: Jet) -> Jet:
        return p.linear(lambda x: x @ self.there.T.T)

    def _body(self, name: str, body: BodyPlaces) -> BodyPlaces:
        return BodyPlaces(body.mass, self._point(body.com), self._tensor(body.inertia))

    def _tensor(self, tensor: Jet) -> Jet:
        return tensor.linear(lambda x: self.there.T @ x @ self.there.T.T)

    def _joint(self, name: str, joint: JointPlaces) -> JointPlaces:
        own = zip(joint.axes, self.mechanism.joint(name).primitives, strict=True)
        axes = (None if a is None or p.axis is None else agree(self._point(a), p.axis, either_way=True) for a, p in own)
        return JointPlaces(self._point(joint.p_P), self._point(joint.p_C), tuple(axes))

    def _rod(self, name: str, rod: RodPlaces) -> RodPlaces:
        return RodPlaces(self._point(rod.p_P), self._point(rod.p_C), rod.length)

    def _constraint(self, name: str, held: ConstraintPlaces) -> ConstraintPlaces:
        return ConstraintPlaces(*map(self._point, (held.p_P, held.p_C, held.axis, held.axis2)))

    def _cam(self, name: str, cam: CamPlaces) -> CamPlaces:
        normal = None if cam.normal is None else self._point(cam.normal)
        return CamPlaces(self._point(cam.centre), self._point(cam.p), self._tensor(cam.R), normal)

    def _bushing(self, name: str, bushing: FramePlaces) -> FramePlaces:
        R = self.mechanism.bushing(name).R
        axes = (agree(self._point(bushing.R[i]), R[:, i], either_way=True) for i in range(3))
        return FramePlaces(self._point(bushing.p), columns(*axes))

    def _marker(self, name: str, marker: FramePlaces) -> FramePlaces:
        spin = None if marker.spin_axis is None else self._point(marker.spin_axis)
        return FramePlaces(self._point(marker.p), self._tensor(marker.R), spin)

    def _end(self, image: Measure, found: EndPlaces) -> EndPlaces:
        axis = None if found.axis is None else self._point(found.axis).linear(lambda x: self.there.sign * x)
        return EndPlaces(image, tuple(map(self._point, found.points)), axis)

    def _wheel(self, name: str, wheel: FramePlaces) -> FramePlaces:
        assert wheel.spin_axis is not None, "wheels have one"
        spin = agree(self._point(wheel.spin_axis), self.mechanism.wheel(name).spin_axis, either_way=True)
        return FramePlaces(self._point(wheel.p), wheel.R, spin, wheel.radius)


# -- measures ---------------------------------------------------------------------------------------------------------


def measures_of(m: Mechanism) -> dict[str, dict[str, tuple[Measure, ...]]]:
    """The measures of all objects, by section and name."""
    springs: dict[str, tuple[Measure, ...]] = {s.name: (s.on,) for s in m.springs}
    return {
        **dict.fromkeys(("springs", "anti_roll_bars", "stops"), springs),
        "dampers": {d.name: (d.on,) for d in m.dampers},
        "couplings": {c.name: c.of.made_of for c in m.couplings},
        "forces": {f.name: (f.on,) for f in m.forces},
        "elements": {d.name: tuple(on for _, on in d.on) for d in m.devices},
        "measures": {r.name: (r.of,) for r in m.measures},
        "coordinates": {c.name: (c.of,) for c in m.coordinates or ()},
        "axles": {a.name: (a.steering,) for a in m.axles if a.steering is not None},
    }


def written_in(file: MechanismFile) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Section, name and measures of all objects, as far as the measures have places of their own."""
    free = None if file.coordinates is None else file.coordinates.free
    for section, entries in (("measures", file.measures), ("coordinates", free or {})):
        yield from ((section, name, [entry.of]) for name, entry in entries.items())
    steered = ((name, entry.steering) for name, entry in file.axles.items())
    yield from (("axles", name, [of]) for name, of in steered if of is not None and not isinstance(of, CoordinateOf))
    for section in FORCES:
        for name, entry in getattr(file, section).items():
            yield section, name, [entry.on] if entry.between is None else [_table(entry)]
    for name, coupling in file.couplings.items():
        yield "couplings", name, coupling.measures or [coupling.measure, coupling.follows]
    for name, element in file.elements.items():
        yield "elements", name, [*element.on.measures.values()] if element.on is not None else []


def _table(entry: Any) -> Table:
    """What acts between two bodies, as a measure that is written as a table."""
    key, value = ("at", entry.at) if entry.axis is None else ("axis", entry.axis)
    words = next(words for words in SIMPLE if key in words.keys)
    return Table(words, (entry.between, value))

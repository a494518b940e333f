"""How a mechanism on the rig depends on design variables p while its coordinates z stay where they are.

Heights u of the wheels, generalized forces Q and all that records hold are functions of z and p, and `design` gives
their first derivatives along both and the mixed second ones exactly.  With the measures s of laws f,

    Q_i = f . s_i + sum F . v_i + M . w_i                                                       (1)
    Q_ip = (f_p + f_s s_p) . s_i + f . s_ip + sum F . v_ip + M . w_ip                             (2)

The angular velocities w_i along z are no derivatives, and do not commute: w_i,p = w_p,i + w_p x w_i                (3)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.design import Derivatives, Derived
from precompute.geometry.spatial import cross
from precompute.model.mechanism import Wheel
from precompute.rig.balance import flat, flattened
from precompute.rig.mechanics import Corner, turned
from precompute.rig.rates import Looked
from precompute.rig.stand import Stand


@dataclass(frozen=True, eq=False)
class Change:
    """A quantity (m, *s) of m configurations: how it and its derivatives along z change with p."""

    along_p: Array  # (m, *s, np)
    along_z: Array  # (m, *s, nz)
    mixed: Array  # (m, *s, nz, np) of along_z by p
    curved: Array  # (m, *s, nz, nz)

    @classmethod
    def of(cls, found: Derived, nz: int) -> Change:
        """Of first derivatives along (z, p), and these once more along z."""
        first, second = found.first, found.second
        return cls(first[..., nz:], first[..., :nz], np.swapaxes(second[..., nz:, :], -1, -2), second[..., :nz, :])

    def total(self, z_p: Array) -> Array:
        """(m, *s, np) where z moves by z_p (m, nz, np) as well."""
        return self.along_p + np.einsum("m...i,mip->m...p", self.along_z, z_p)

    def total_mixed(self, z_p: Array) -> Array:
        """(m, *s, nz, np) of the derivatives along z."""
        return self.mixed + np.einsum("m...ij,mjp->m...ip", self.curved, z_p)


@dataclass(frozen=True, eq=False)
class WheelChange:
    """A wheel, in G axes."""

    centre: Change  # (3,)
    turn: Change  # (3,) of the carrier: its angular velocities
    arm: Array  # (m, 3) from the centre to the contact
    arm_p: Array  # (m, 3, np)
    height_p: Array  # (m, np) of the contact along the road's normal, since design


@dataclass(frozen=True, eq=False)
class Partials:
    """Derivatives along z and p at n states of rest of c copies, copies one after another (m = n c)."""

    stand: Stand
    found: Looked
    derivatives: Derivatives

    @property
    def nz(self) -> int:
        """Coordinates."""
        return self.derivatives.nz

    def change(self, found: Derived) -> Change:
        """Of a quantity."""
        return Change.of(found, self.nz)

    @cached_property
    def wheels(self) -> tuple[WheelChange, ...]:
        """All wheels of the mechanism."""
        pairs = zip(self.stand.rig.bench.wheels, self.found.at.corners, strict=True)
        return tuple(self._wheel(wheel, corner) for wheel, corner in pairs)

    def turn(self, body: str) -> Change:
        """(3,) of the angular velocities of a body, by (3)."""
        W, dW = self.derivatives.body(body)
        w, dw = W[:, :3], dW[:, :3]
        w_z, w_p = w[..., : self.nz], w[..., self.nz :]
        mixed = np.swapaxes(dw[..., self.nz :, :], -1, -2) + cross(w_p[..., None, :], w_z[..., :, None], axis=-3)
        return Change(w_p, w_z, mixed, dw[..., : self.nz, :])

    def _wheel(self, wheel: Wheel, corner: Corner) -> WheelChange:
        own, up = self.derivatives, self.stand.mechanism.axes.up
        at = own.dimensions.places.wheels[wheel.name]
        assert at.spin_axis is not None and at.radius is not None, "wheels have both"
        centre, turn = self.change(own.wheel_centre(wheel.name)), self.turn(wheel.body)
        spin, spin_p = own.wheel_spin(wheel.name).value, own.wheel_spin(wheel.name).first[..., self.nz :]
        arm, road = corner.contact - corner.centre, corner.up
        start = _arm(wheel.spin_axis[None], at.spin_axis.first.T[None], wheel.radius, at.radius.first, up[None])[1][0]
        if self.stand.choices.contact == "fixed":
            R = own.motion.places.pose(wheel.body).R
            arm_p = cross(turn.along_p, arm[..., None], axis=-2) + np.einsum("mab,bp->map", R, start)
        else:
            arm_p = _arm(spin, spin_p, wheel.radius, at.radius.first, road)[1]
        height = np.einsum("mc,mcp->mp", road, centre.along_p + arm_p) - up @ (at.p.first.T + start)
        return WheelChange(centre, turn, arm, arm_p, height)

    @cached_property
    def measures(self) -> tuple[Change, ...]:
        """What laws act on."""
        return tuple(self.change(self.derivatives.measure(m)) for m in self.stand.rig.laws.measures)

    def heights(self) -> Array:
        """(m, 3, nw, np) of `HEIGHTS`: travel of a centre is a coordinate."""
        out = np.zeros((len(self.found.at.K), 3, len(self.wheels), self.derivatives.dimensions.places.n))
        for w, wheel in enumerate(self.wheels):
            k = self.stand.rig.main_springs[w]
            out[:, 1, w] = wheel.height_p
            out[:, 2, w] = 0.0 if k is None else self.measures[k].along_p
        return out

    def forces(self, law_p: Array, mass_p: Array) -> Array:
        """(m, nz, np) of (2).

        Args:
            law_p: (m, nm, np) how the laws themselves change.
            mass_p: (nb, np) how the masses do.
        """
        rest, laws, at = self.found.rest, self.stand.rig.laws, self.found.at
        Q = np.zeros((*at.Q.shape, law_p.shape[-1]))
        if self.measures:
            f, slope = laws.force(at.s), laws.slope(at.s)
            s_p = np.stack([m.along_p for m in self.measures], axis=1)
            mixed = np.stack([m.mixed for m in self.measures], axis=1)
            Q += np.einsum("mkp,mki->mip", law_p + slope @ s_p, at.ds) + np.einsum("mk,mkip->mip", f, mixed)
        Q += self._weights(mass_p) + self._ports()
        loads, pads = flat(self.found.setting.loads), flattened(rest.pads)
        for w, (wheel, corner) in enumerate(zip(self.wheels, at.corners, strict=True)):
            patch = loads.patch[:, w] + pads[:, w, None] * corner.up
            v, turned_by = wheel.centre.mixed, wheel.turn.mixed
            tip = cross(turned_by, wheel.arm[..., None, None], axis=-3)
            tip = tip + cross(wheel.turn.along_z[..., None], wheel.arm_p[..., None, :], axis=-3)
            Q += np.einsum("mc,mcip->mip", patch, v + tip) + np.einsum("mc,mcip->mip", loads.centre[:, w], v)
            Q += np.einsum("mc,mcip->mip", loads.moment[:, w], turned_by)
        return Q

    def _weights(self, mass_p: Array) -> Array:
        """(m, nz, np) of gravity, which turns with the road."""
        mechanism, road = self.stand.mechanism, self.found.at.corners[0].up
        gravity = turned(mechanism.gravity, mechanism.axes.up, road)
        out = np.zeros((*self.found.at.Q.shape, mass_p.shape[-1]))
        if not gravity.any():
            return out
        for body, m_p in zip(mechanism.bodies, mass_p, strict=True):
            at = self.change(self.derivatives.com(body.name))
            out += body.mass * np.einsum("mc,mcip->mip", gravity, at.mixed)
            out += np.einsum("mc,mci->mi", gravity, at.along_z)[..., None] * m_p
        return out

    def _ports(self) -> Array | float:
        """(m, nz, np) of loads that the file puts on markers."""
        out: Array | float = 0.0
        for port in self.stand.rig.bench.ports:
            force, moment = np.array(port.force), np.array(port.moment)
            if force.any() or moment.any():
                body = self.stand.mechanism.marker(port.marker).body
                at = self.change(self.derivatives.marker(port.marker))
                out = out + np.einsum("c,mcip->mip", force, at.mixed)
                out = out + np.einsum("c,mcip->mip", moment, self.turn(body).mixed)
        return out


def _arm(spin: Array, spin_p: Array, radius: float, radius_p: Array, up: Array) -> tuple[Array, Array]:
    """The lowest point of a disc from its centre, -r a/|a| with a = up - (up . s) s, and its change.

    Args:
        spin: (m, 3) s.
        spin_p: (m, 3, np) its change.
        radius: r.
        radius_p: (np,) its change.
        up: (m, 3).
    """
    tilt, tilt_p = np.einsum("mc,mc->m", up, spin), np.einsum("mc,mcp->mp", up, spin_p)
    across = up - tilt[:, None] * spin
    size = np.linalg.norm(across, axis=-1)[:, None]
    m = across / size
    across_p = -tilt_p[:, None, :] * spin[..., None] - tilt[:, None, None] * spin_p
    m_p = (across_p - m[..., None] * np.einsum("mc,mcp->mp", m, across_p)[:, None, :]) / size[..., None]
    return -radius * m, -radius * m_p - radius_p * m[..., None]

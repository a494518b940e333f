"""Draws docs/kc_views.png: what is quoted of a left wheel, in three views."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

ROAD, WHEEL, AXIS, NOTE = "0.55", "0.25", "tab:blue", "tab:red"


def arrow(ax, start, end, text, at=0.5, offset=(0.0, 0.0), colour=NOTE):
    """A distance with its name."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "<->", "color": colour, "shrinkA": 0, "shrinkB": 0})
    x, y = np.add(start, np.multiply(at, np.subtract(end, start))) + offset
    ax.text(x, y, text, color=colour, ha="center", va="center", fontsize=9)


def angle(ax, at, radius, start, end, text, out=1.25):
    """An angle with its name [deg]."""
    a = np.radians(np.linspace(start, end, 30))
    ax.plot(at[0] + radius * np.cos(a), at[1] + radius * np.sin(a), color=NOTE, lw=1)
    middle = np.radians(0.5 * (start + end))
    ax.text(at[0] + out * radius * np.cos(middle), at[1] + out * radius * np.sin(middle), text, color=NOTE,
            ha="center", va="center", fontsize=9)  # fmt: skip


def flat(a, b):
    """Cross product in the plane."""
    return a[0] * b[1] - a[1] * b[0]


def frame(ax, title, xlim, ylim):
    """An empty view."""
    ax.set(title=title, xlim=xlim, ylim=ylim, aspect="equal")
    ax.axis("off")


def front(ax):
    """Seen from behind: left is left; the middle plane at the right."""
    frame(ax, "front view (from behind): left wheel", (-1.0, 3.25), (-0.55, 2.75))
    ax.plot([-0.9, 3.2], [0, 0], color=ROAD, lw=2)
    ax.plot([3.0, 3.0], [-0.15, 2.4], color=ROAD, ls="-.", lw=1)
    ax.text(3.0, 2.5, "middle plane", color=ROAD, ha="center", fontsize=8)
    lean = np.radians(7)  # top outward
    up = np.array([-np.sin(lean), np.cos(lean)])
    side = np.array([np.cos(lean), np.sin(lean)])
    contact = np.zeros(2)
    centre = contact + up
    for sign in (-1, 1):
        line = np.array([contact, contact + 2 * up]) + 0.14 * sign * side
        ax.plot(*line.T, color=WHEEL, lw=1.5)
    for end in (contact, contact + 2 * up):
        ax.plot(*np.array([end - 0.14 * side, end + 0.14 * side]).T, color=WHEEL, lw=1.5)
    ax.plot(*np.array([contact, contact + 2.35 * up]).T, color=WHEEL, ls="--", lw=0.8)
    ax.plot([0, 0], [0, 2.45], color=ROAD, ls=":", lw=1)
    angle(ax, contact, 2.3, 90, 97, "camber", 1.1)
    foot, slope = np.array([0.45, 0.0]), np.radians(14)
    direction = np.array([np.sin(slope), np.cos(slope)])
    ax.plot(*np.array([foot - 0.1 * direction, foot + 2.5 * direction]).T, color=AXIS, lw=1.5)
    ax.text(*(foot + 2.62 * direction), "steering axis", color=AXIS, fontsize=9, ha="center")
    ax.plot([foot[0]] * 2, [0, 2.0], color=ROAD, ls=":", lw=1)
    angle(ax, foot, 1.8, 76, 90, "kingpin\ninclination", 0.87)
    arrow(ax, contact + [0, -0.12], foot + [0, -0.12], "scrub radius", offset=(0, -0.12))
    hub = foot + direction * centre[1] / direction[1]
    arrow(ax, centre, hub, "kingpin offset", offset=(0.02, -0.13))
    on_spin = centre + side * (flat(foot - centre, direction) / flat(side, direction))
    arrow(ax, centre, on_spin, "spindle length", at=0.45, offset=(0.0, 0.17))
    ax.plot(*centre, "o", color=WHEEL, ms=4)
    ic = np.array([2.2, 0.62])
    ax.plot(*ic, "o", color="tab:green")
    ax.text(ic[0] + 0.05, ic[1] + 0.12, "instant centre", color="tab:green", fontsize=9, ha="center")
    height = 3.0 * ic[1] / ic[0]
    ax.plot([0, 3.0], [0, height], color="tab:green", lw=1)
    ax.plot(3.0, height, "s", color="tab:green")
    ax.text(2.92, height + 0.13, "roll centre", color="tab:green", fontsize=9, ha="right")
    arrow(ax, (3.0, 0), (3.0, height), "height", offset=(-0.22, -0.1), colour="tab:green")


def side(ax):
    """Seen from the left: forward is to the left."""
    frame(ax, "side view (from the left): forward is left", (-1.6, 3.4), (-0.55, 2.75))
    ax.plot([-1.5, 3.3], [0, 0], color=ROAD, lw=2)
    a = np.linspace(0, 2 * np.pi, 100)
    ax.plot(np.cos(a), 1 + np.sin(a), color=WHEEL, lw=1.5)
    ax.plot(0, 1, "o", color=WHEEL, ms=4)
    ax.plot([0, 0], [0, 2.3], color=ROAD, ls=":", lw=1)
    slope, foot = np.radians(12), np.array([-0.45, 0.0])
    direction = np.array([np.sin(slope), np.cos(slope)])
    ax.plot(*np.array([foot - 0.1 * direction, foot + 2.5 * direction]).T, color=AXIS, lw=1.5)
    ax.text(*(foot + 2.62 * direction), "steering axis", color=AXIS, fontsize=9, ha="center")
    ax.plot([foot[0]] * 2, [0, 2.1], color=ROAD, ls=":", lw=1)
    angle(ax, foot, 2.0, 78, 90, "caster", 1.08)
    arrow(ax, (0, -0.12), foot + [0, -0.12], "mechanical trail", offset=(0, -0.13))
    hub = foot + direction / direction[1]
    arrow(ax, (0, 1), hub, "caster\noffset", offset=(-0.1, -0.22))
    ic = np.array([2.9, 0.6])
    ax.plot(*ic, "o", color="tab:green")
    ax.text(ic[0], ic[1] + 0.15, "instant centre", color="tab:green", fontsize=9, ha="center")
    ax.plot([0, ic[0]], [0, ic[1]], color="tab:green", lw=1)
    angle(ax, (0, 0), 1.9, 0, np.degrees(np.arctan2(*ic[::-1])), "swing arm angle", 1.28)
    ax.plot([0, ic[0]], [1, ic[1]], color="tab:green", lw=1, ls="--")
    ax.text(1.9, 0.93, "swing arm length", color="tab:green", fontsize=9, ha="center")
    ax.text(-1.15, -0.35, "x", fontsize=9)
    ax.annotate("", (-1.5, -0.3), (-1.2, -0.3), arrowprops={"arrowstyle": "->"})


def top(ax):
    """Seen from above: forward is up, left is left."""
    frame(ax, "top view: forward is up", (-1.5, 2.9), (-1.6, 1.7))
    for centre, turn, name in ((np.array([-0.7, 0.0]), 20, "left"), (np.array([2.1, 0.0]), 14, "right")):
        a = np.radians(turn)
        ahead, across = np.array([-np.sin(a), np.cos(a)]), np.array([np.cos(a), np.sin(a)])
        corners = [centre + u * ahead + v * across for u, v in ((1, 0.2), (1, -0.2), (-1, -0.2), (-1, 0.2), (1, 0.2))]
        ax.plot(*np.array(corners).T, color=WHEEL, lw=1.5)
        ax.plot(*np.array([centre, centre + 1.4 * ahead]).T, color=WHEEL, ls="--", lw=0.8)
        ax.plot([centre[0]] * 2, [0, 1.4], color=ROAD, ls=":", lw=1)
        ax.text(centre[0], -1.35, f"{name} wheel", ha="center", fontsize=9)
        angle(ax, centre, 1.3, 90, 90 + turn, "steer > 0", 1.15)
    ax.text(-0.7, -1.56, "toe = -steer", ha="center", fontsize=9, color=NOTE)
    ax.text(2.1, -1.56, "toe = steer", ha="center", fontsize=9, color=NOTE)
    ax.plot([0.7, 0.7], [-1.2, 1.4], color=ROAD, ls="-.", lw=1)


def main():
    """Draw the picture."""
    figure, axes = plt.subplots(1, 3, figsize=(17, 4.8), width_ratios=[4.25, 5.0, 4.4])
    for draw, ax in zip((front, side, top), axes, strict=True):
        draw(ax)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("kc_views.png"), dpi=80)


if __name__ == "__main__":
    main()

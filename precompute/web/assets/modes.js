// Shapes of modes: poses are those of the state of rest, moved by small twists about the origin.

class Modes {
  constructor(data, view) {
    Object.assign(this, { data, view });
    document.querySelectorAll("[data-mode]").forEach((button) => button.addEventListener("click", () => this.swing(Number(button.dataset.mode))));
    view.root.querySelector("#home").addEventListener("click", () => this.stop());
    view.root.querySelector("#play").addEventListener("click", () => this.stop());
  }

  poses(number, phase) {
    const { view } = this;
    view.given = null;
    const rest = view.poses();
    const out = Float64Array.from(rest);
    const [c, s] = [Math.cos(phase), Math.sin(phase)];
    this.data[number].real.forEach((real, b) => {
      const twist = real.map((x, k) => c * x - s * this.data[number].imaginary[b][k]);
      out.set(moved(rest.subarray(7 * (b + 1), 7 * (b + 1) + 7), twist), 7 * (b + 1));
    });
    return out;
  }

  swing(number) {
    this.view.home();
    this.stop();
    document.querySelector("#scene").scrollIntoView({ block: "nearest" });
    const begun = performance.now();
    const frame = (now) => {
      this.view.given = this.poses(number, (now - begun) / 1000 * 4);
      this.view.draw();
      this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
  }

  stop() {
    if (this.playing) cancelAnimationFrame(this.playing);
    this.playing = 0;
  }
}

// A pose after a small twist [w; v] about the origin.
function moved(pose, [wx, wy, wz, vx, vy, vz]) {
  const q = [-wx * pose[1] - wy * pose[2] - wz * pose[3], wx * pose[0] + wy * pose[3] - wz * pose[2], wy * pose[0] + wz * pose[1] - wx * pose[3], wz * pose[0] + wx * pose[2] - wy * pose[1]];
  const [x, y, z] = [pose[4], pose[5], pose[6]];
  return [...[0, 1, 2, 3].map((k) => pose[k] + 0.5 * q[k]), x + vx + wy * z - wz * y, y + vy + wz * x - wx * z, z + vz + wx * y - wy * x];
}

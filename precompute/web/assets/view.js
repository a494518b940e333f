// The mechanism in 3D on a canvas: orthographic, far things first.  A scene is items on bodies; a motion is poses
// (quaternion, origin) over sliders, as cubic splines that are equal in all cells.

const COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"];
const VIEWS = { iso: [-35, 22], front: [180, 0], side: [90, 0], top: [90, 90] };
const COILS = 8;

function numbersOf(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function basis(t) {
  const u = 1 - t;
  return [u * u * u / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6];
}

// Numbers (width) of a tensor spline at a place, counted in nodes along each axis.
function splineAt(c, nodes, width, place) {
  const cells = place.map((x, k) => Math.min(Math.max(Math.floor(x), 0), nodes[k] - 2));
  const weights = place.map((x, k) => basis(x - cells[k]));
  const strides = nodes.map((_, k) => nodes.slice(k + 1).reduce((n, m) => n * (m + 2), width));
  const out = new Float64Array(width);
  const visit = (k, offset, weight) => {
    if (k === nodes.length) {
      for (let i = 0; i < width; i++) out[i] += weight * c[offset + i];
      return;
    }
    for (let j = 0; j < 4; j++) visit(k + 1, offset + (cells[k] + j) * strides[k], weight * weights[k][j]);
  };
  visit(0, 0, 1);
  return out;
}

function rotated(pose, p) {
  const size = Math.hypot(pose[0], pose[1], pose[2], pose[3]);
  const [w, x, y, z] = [pose[0] / size, pose[1] / size, pose[2] / size, pose[3] / size];
  const t = [2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])];
  return [
    p[0] + w * t[0] + y * t[2] - z * t[1] + pose[4],
    p[1] + w * t[1] + z * t[0] - x * t[2] + pose[5],
    p[2] + w * t[2] + x * t[1] - y * t[0] + pose[6],
  ];
}

class View {
  constructor(data, root) {
    this.data = data;
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.motions = data.motions.map((m) => ({
      ...m,
      bodies: m.bodies.map(([along, c]) => ({ along, nodes: along.map((k) => m.nodes[k]), c: numbersOf(c) })),
      at: m.axes.map((a) => a.design),
      overlays: m.overlays.map((o) => ({ ...o, points: numbersOf(o.points) })),
    }));
    this.active = this.motions[0] || null;
    this.turn = [...VIEWS.iso];
    this.hidden = new Set();
    this.names = this.centres = false;
    this.axes = this.vehicleAxes();
    this.middle = this.centre();
    this.turn = [...VIEWS[this.flatView()]];
    this.fit();
    this.makeSliders();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.draw();
  }

  vehicleAxes() {
    const [f, u] = [this.data.forward, this.data.up];
    return [f, [u[1] * f[2] - u[2] * f[1], u[2] * f[0] - u[0] * f[2], u[0] * f[1] - u[1] * f[0]], u];
  }

  // ---- where things are

  poses() {
    const m = this.active;
    const still = new Float64Array(7 * this.data.bodies.length);
    for (let b = 0; b < this.data.bodies.length; b++) still[7 * b] = 1;
    if (this.given) return this.given;
    if (!m) return still;
    const place = m.at.map((x, k) => (x - m.axes[k].first) / (m.axes[k].last - m.axes[k].first) * (m.nodes[k] - 1));
    m.bodies.forEach((own, b) => still.set(splineAt(own.c, own.nodes, 7, own.along.map((k) => place[k])), 7 * b));
    return still;
  }

  pointOn(poses, body, p) {
    return rotated(poses.subarray(7 * body, 7 * body + 7), p);
  }

  // Where a marker is [mm]; for those who compare.
  marker(name) {
    const item = this.data.items.find((i) => i.kind === "marker" && i.name === name);
    return this.pointOn(this.poses(), item.on[0], item.points[0]).map((x) => 1e3 * x);
  }

  set(motion, axis, value) {
    const m = this.motions.find((own) => own.name === motion);
    if (m !== this.active) for (const own of this.motions) own.at = own.axes.map((a) => a.design);
    this.given = null;
    this.active = m;
    m.at[axis] = Math.min(Math.max(value, Math.min(m.axes[axis].first, m.axes[axis].last)), Math.max(m.axes[axis].first, m.axes[axis].last));
    this.showSliders();
    this.draw();
  }

  home() {
    this.stop();
    this.given = null;
    for (const own of this.motions) own.at = own.axes.map((a) => a.design);
    this.showSliders();
    this.draw();
  }

  // ---- controls

  makeSliders() {
    const box = this.root.querySelector("#sliders");
    this.sliders = [];
    for (const m of this.motions) {
      const head = document.createElement("h3");
      head.textContent = m.title;
      box.append(head);
      m.axes.forEach((a, k) => {
        const label = document.createElement("label");
        const [name, input, output] = ["span", "input", "output"].map((tag) => document.createElement(tag));
        label.className = "slider";
        name.textContent = a.name;
        Object.assign(input, { type: "range", min: Math.min(a.first, a.last), max: Math.max(a.first, a.last), step: "any", value: a.design });
        input.addEventListener("keydown", (e) => this.press(e, m, k));
        input.addEventListener("input", () => { this.stop(); this.set(m.name, k, Number(input.value)); });
        label.append(name, output, input);
        box.append(label);
        this.sliders.push({ m, k, input, output });
      });
    }
    this.showSliders();
  }

  // Arrows move by a hundredth of the range, page keys by a tenth; space plays.
  press(e, m, k) {
    const steps = { ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };
    const [low, high] = [m.axes[k].first, m.axes[k].last].sort((a, b) => a - b);
    if (steps[e.key]) { this.stop(); this.set(m.name, k, m.at[k] + steps[e.key] * (high - low)); }
    else if (e.key === " ") {
      if (m !== this.active) this.set(m.name, k, m.at[k]);
      this.toggle();
    } else return;
    e.preventDefault();
  }

  showSliders() {
    for (const { m, k, input, output } of this.sliders) {
      input.value = m.at[k];
      const a = m.axes[k];
      const si = a.si ? ` = ${Number((m.at[k] / a.factor).toPrecision(4))} ${a.si}` : "";
      output.textContent = `${m.at[k].toFixed(Math.abs(a.last - a.first) < 5 ? 3 : 1)} ${a.unit}${si}`;
    }
    const said = this.root.querySelector("#said");
    if (said && this.active) {
      const how = { coordinates: "exact positions, bushings held", run: "where the FMU was" }[this.active.name] || "in equilibrium, as kinetab kc has it";
      said.textContent = `${this.active.title}: ${how}; between stored positions within ${this.active.error.toExponential(1)} mm.`;
    }
  }

  listen() {
    const { canvas, root } = this;
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (e) => { pointers.set(e.pointerId, e); canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", (e) => pointers.delete(e.pointerId));
    canvas.addEventListener("pointercancel", (e) => pointers.delete(e.pointerId));
    canvas.addEventListener("pointermove", (e) => {
      const last = pointers.get(e.pointerId);
      if (!last) return;
      const [dx, dy] = [e.clientX - last.clientX, e.clientY - last.clientY];
      if (e.shiftKey || pointers.size > 1) this.shift = [this.shift[0] + dx, this.shift[1] + dy];
      else this.rotate(-0.4 * dx, 0.4 * dy);
      pointers.set(e.pointerId, e);
      this.draw();
    });
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom *= Math.exp(-0.001 * e.deltaY); this.draw(); }, { passive: false });
    canvas.addEventListener("keydown", (e) => {
      const steps = { ArrowLeft: [5, 0], ArrowRight: [-5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] };
      if (steps[e.key]) this.rotate(...steps[e.key]);
      else if (e.key === "+" || e.key === "=") this.zoom *= 1.1;
      else if (e.key === "-") this.zoom /= 1.1;
      else if (e.key === " ") this.toggle();
      else return;
      e.preventDefault();
      this.draw();
    });
    root.querySelectorAll("[data-kind]").forEach((box) => {
      const update = () => { this.hidden[box.checked ? "delete" : "add"](box.dataset.kind); this.draw(); };
      box.addEventListener("change", update);
      if (!box.checked) this.hidden.add(box.dataset.kind);
    });
    const centres = root.querySelector("#centres");
    if (centres) centres.addEventListener("change", () => { this.centres = centres.checked; this.draw(); });
    root.querySelector("#names").addEventListener("change", (e) => { this.names = e.target.checked; this.draw(); });
    root.querySelectorAll("[data-view]").forEach((button) => button.addEventListener("click", () => {
      this.turn = [...VIEWS[button.dataset.view]];
      this.fit();
      this.draw();
    }));
    root.querySelector("#play").addEventListener("click", () => this.toggle());
    root.querySelector("#home").addEventListener("click", () => this.home());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    for (const when of ["beforeprint", "afterprint"]) addEventListener(when, () => this.paint());
  }

  rotate(azimuth, elevation) {
    this.turn = [this.turn[0] + azimuth, Math.min(90, Math.max(-90, this.turn[1] + elevation))];
  }

  toggle() {
    if (this.playing) { this.stop(); return; }
    if (!this.active) return;
    this.root.querySelector("#play").textContent = "Pause";
    const m = this.active;
    const begun = performance.now();
    const begunAt = m.at[0] - m.axes[0].first;
    const phase = m.axes.map((a, k) => Math.asin(Math.min(1, Math.max(-1, 2 * (m.at[k] - a.first) / (a.last - a.first) - 1))));
    const frame = (now) => {
      const angle = (now - begun) / 1000 * 1.6;
      const [first, width] = [m.axes[0].first, m.axes[0].last - m.axes[0].first];
      if (m.name === "run") m.at[0] = first + (begunAt + (now - begun) / 1000) % width; // in real time, again and again
      else m.at[0] = first + width * 0.5 * (1 + Math.sin(phase[0] + angle));
      this.showSliders();
      this.draw();
      this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
  }

  stop() {
    if (this.playing) cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.root.querySelector("#play").textContent = "Play";
  }

  // ---- drawing

  centre() {
    const all = this.data.items.flatMap((i) => i.points);
    return [0, 1, 2].map((k) => 0.5 * (Math.min(...all.map((p) => p[k])) + Math.max(...all.map((p) => p[k]))));
  }

  // A plane mechanism is looked at from where it is plane.
  flatView() {
    const all = this.data.items.flatMap((i) => i.points);
    const extents = this.axes.map((v) => {
      const along = all.map((p) => v[0] * p[0] + v[1] * p[1] + v[2] * p[2]);
      return Math.max(...along) - Math.min(...along);
    });
    const flat = extents.findIndex((x) => x < 0.02 * Math.max(...extents));
    return ["front", "side", "top"][flat] || "iso";
  }

  // Scale and place so that all of the design fills the picture from where it is looked at.
  fit() {
    const [right, top] = this.camera();
    const flat = this.data.items.flatMap((i) => i.points).map((p) => [right, top].map((v) => v.reduce((sum, x, k) => sum + x * (p[k] - this.middle[k]), 0)));
    const [x, y] = [0, 1].map((k) => [Math.min(...flat.map((p) => p[k])), Math.max(...flat.map((p) => p[k]))]);
    this.across = [x[1] - x[0] || 1e-3, y[1] - y[0] || 1e-3];
    this.offset = [0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])];
    this.zoom = 1;
    this.shift = [0, 0];
  }

  camera() {
    const [az, el] = this.turn.map((x) => x * Math.PI / 180);
    const [f, l, u] = this.axes;
    const back = [Math.cos(el) * Math.cos(az), Math.cos(el) * Math.sin(az), Math.sin(el)];
    const right = [-Math.sin(az), Math.cos(az), 0];
    const top = [-Math.sin(el) * Math.cos(az), -Math.sin(el) * Math.sin(az), Math.cos(el)];
    const inG = (v) => [0, 1, 2].map((k) => v[0] * f[k] + v[1] * l[k] + v[2] * u[k]);
    return [inG(right), inG(top), inG(back)];
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const ctx = canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const [right, top, back] = this.camera();
    const scale = 0.8 * this.zoom * Math.min(width / this.across[0], height / this.across[1]);
    const [x0, y0] = [width / 2 + this.shift[0] - scale * this.offset[0], height / 2 + this.shift[1] + scale * this.offset[1]];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const project = (p) => {
      const d = [p[0] - this.middle[0], p[1] - this.middle[1], p[2] - this.middle[2]];
      return [x0 + scale * dot(d, right), y0 - scale * dot(d, top), dot(d, back)];
    };
    const poses = this.poses();
    const strokes = [];
    for (const item of this.data.items) {
      if (this.hidden.has(item.kind)) continue;
      const points = item.points.map((p, i) => project(this.pointOn(poses, item.on[i], p)));
      strokes.push(...PAINTERS[item.kind](item, points, colour, this.data));
    }
    const centres = this.centres && !this.given ? this.overlaid(project) : [];
    for (const own of centres) strokes.push(polyline(own.points, colour("good"), 1.5, [4, 3]), spot(own.points[own.mark], colour("good"), 4));
    strokes.sort((a, b) => a.depth - b.depth);
    for (const s of strokes) s.paint(ctx);
    this.paintAxes(ctx, right, top, height, colour);
    if (this.names) this.paintNames(ctx, project, poses, colour);
    for (const own of centres) {
      ctx.fillStyle = colour("good");
      ctx.fillText(own.name, own.points[own.mark][0] + 6, own.points[own.mark][1] - 4);
    }
  }

  // Steering axis, instant centres, roll centre where the slider is; of the case that is shown, or of bump at design.
  overlaid(project) {
    const m = this.active && this.active.overlays.length ? this.active : this.motions.find((own) => own.overlays.length);
    if (!m) return [];
    const [a, n] = [m.axes[0], m.nodes[0]];
    const place = (m.at[0] - a.first) / (a.last - a.first) * (n - 1);
    const i = Math.min(Math.max(Math.floor(place), 0), n - 2);
    const t = place - i;
    return m.overlays.map((o) => {
      const at = (k) => [0, 1, 2].map((j) => (1 - t) * o.points[3 * (i * o.count + k) + j] + t * o.points[3 * ((i + 1) * o.count + k) + j]);
      return { name: o.name, mark: 1, points: Array.from({ length: o.count }, (_, k) => at(k)) };
    }).filter((o) => o.points.every((p) => p.every(Number.isFinite))).map((o) => ({ ...o, points: o.points.map(project) }));
  }

  paintNames(ctx, project, poses, colour) {
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = colour("ink");
    const taken = [];
    for (const item of this.data.items) {
      if (this.hidden.has(item.kind) || item.kind === "ground" || item.kind === "wheel") continue;
      const points = item.points.map((p, i) => project(this.pointOn(poses, item.on[i], p)));
      const [x, y] = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
      if (taken.some(([a, b]) => Math.abs(a - x) < 60 && Math.abs(b - y) < 11)) continue;
      taken.push([x, y]);
      ctx.fillText(item.name, x + 6, y - 4);
    }
  }

  paintAxes(ctx, right, top, height, colour) {
    const [x0, y0, size] = [40, height - 36, 24];
    ctx.font = "11px system-ui, sans-serif";
    ["x", "y", "z"].forEach((name, k) => {
      ctx.strokeStyle = ctx.fillStyle = colour("soft");
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.lineTo(x0 + size * right[k], y0 - size * top[k]);
      ctx.stroke();
      ctx.fillText(name, x0 + 1.35 * size * right[k] - 3, y0 - 1.35 * size * top[k] + 3);
    });
  }
}

// ---- how kinds are drawn: each gives strokes with a depth

function polyline(points, colour, width, dash = []) {
  const depth = points.reduce((sum, p) => sum + p[2], 0) / points.length;
  return {
    depth,
    paint(ctx) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.lineJoin = ctx.lineCap = "round";
      ctx.setLineDash(dash);
      ctx.beginPath();
      points.forEach((p, i) => (i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
      ctx.stroke();
      ctx.setLineDash([]);
    },
  };
}

function face(points, colour) {
  const depth = points.reduce((sum, p) => sum + p[2], 0) / points.length;
  return {
    depth: depth - 1e-6,
    paint(ctx) {
      ctx.globalAlpha = 0.13;
      ctx.fillStyle = colour;
      ctx.beginPath();
      points.forEach((p, i) => (i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
      ctx.fill();
      ctx.globalAlpha = 1;
    },
  };
}

function spot(point, colour, radius, hollow = false) {
  return {
    depth: point[2] + 1e-3,
    paint(ctx) {
      ctx.beginPath();
      ctx.arc(point[0], point[1], radius, 0, 2 * Math.PI);
      ctx.fillStyle = ctx.strokeStyle = colour;
      ctx.lineWidth = 1.6;
      if (hollow) ctx.stroke(); else ctx.fill();
    },
  };
}

function triangle(point, colour) {
  return {
    depth: point[2],
    paint(ctx) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1.3;
      ctx.beginPath();
      ctx.moveTo(point[0], point[1]);
      ctx.lineTo(point[0] - 6, point[1] + 10);
      ctx.lineTo(point[0] + 6, point[1] + 10);
      ctx.closePath();
      ctx.stroke();
    },
  };
}

// A zigzag on the screen from a to b.
function coil([a, b]) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const aside = Math.min(0.07 * length, 9);
  const points = [a];
  for (let i = 1; i < 2 * COILS + 2; i++) {
    const share = i / (2 * COILS + 2);
    const swing = i === 1 || i === 2 * COILS + 1 ? 0 : (i % 2 ? -1 : 1) * aside;
    points.push([a[0] + share * dx - swing * dy / length, a[1] + share * dy + swing * dx / length, a[2] + share * (b[2] - a[2])]);
  }
  return [...points, b];
}

function bodyStrokes(item, points, data) {
  const colour = COLOURS[(data.bodies.indexOf(item.name) - 1) % COLOURS.length];
  if (points.length < 3) return points.length === 2 ? [polyline(points, colour, 3)] : points.map((p) => spot(p, colour, 4));
  const middle = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const faces = (item.faces || []).map((f) => face(f.map((i) => points[i]), colour));
  return [...faces, ...points.map((p) => polyline([middle, p], colour, 3))];
}

const PAINTERS = {
  body: (item, points, colour, data) => bodyStrokes(item, points, data),
  rod: (item, points, colour) => [polyline(points, colour("soft"), 2.5)],
  spring: (item, points, colour) => [polyline(coil(points), colour("ink"), 1.2)],
  cam: (item, points, colour) => [polyline(points, colour("soft"), 2)],
  coupling: (item, points, colour) => [polyline(points, colour("soft"), 1.5, [4, 3])],
  constraint: (item, points, colour) => [spot(points[0], colour("soft"), 4.5, true)],
  damper: (item, points, colour) => [polyline(points, colour("soft"), 2, [7, 4])],
  element: (item, points) => [polyline(points, "#9467bd", 2, [6, 3, 2, 3])],
  force: (item, points) => [polyline(points, "#d62728", 2, [2, 3])],
  bushing: (item, points, colour) => [spot(points[0], colour("accent"), 6, true)],
  joint: (item, points, colour) => points.map((p) => spot(p, colour("ink"), 3)),
  ground: (item, points, colour) => [triangle(points[0], colour("soft"))],
  wheel: (item, points, colour) => [face(points, colour("soft")), polyline(points, colour("soft"), 1.5)],
  marker: (item, points, colour) => [spot(points[0], colour("bad"), 2.5)],
};

// Kinematics and compliance: panels, any metric, and the table at design.  Conventions differ by signs alone.

const LAID = ["#e08e0b", "#17889b", "#b03a78", "#5d6d1e"];

function shownName(name, own, mirrored) {
  return (mirrored && name.endsWith(`.${own}`) ? name.slice(0, -own.length - 1) : name).replaceAll("_", " ").replaceAll(".", " ");
}

// What is small against a size is round-off.
function digits(x, n = 4, size = 0.01) {
  if (x === null || x === undefined) return "–";
  return Math.abs(x) < 1e-9 * size ? "0" : String(Number(x.toPrecision(n)));
}

class Curves {
  constructor(data, root) {
    Object.assign(this, { data, root, convention: "iso", others: [] });
    for (const { columns } of Object.values(data.cases)) {
      for (const c of Object.values(columns)) c.values = Array.from(numbersOf(c.values), (v) => (Number.isFinite(v) ? v : null));
    }
    root.querySelector("#convention").addEventListener("change", (e) => { this.convention = e.target.value; this.show(); });
    this.panels = data.panels.map((panel) => {
      const place = document.createElement("div");
      place.className = "curve";
      root.querySelector("#panels").append(place);
      return { ...panel, place };
    });
    this.choose();
    this.show();
  }

  sign(of) { return this.convention === "iso" ? 1 : of.signs[this.convention]; }

  metric(column) { return this.data.metrics[column.split(".")[0]]; }

  choose() {
    const [cases, metrics] = ["#case", "#metric"].map((id) => this.root.querySelector(id));
    for (const [name, own] of Object.entries(this.data.cases)) cases.append(new Option(own.title, name));
    const fill = () => {
      const before = metrics.value;
      const columns = Object.keys(this.data.cases[cases.value].columns);
      metrics.replaceChildren(...columns.map((c) => new Option(shownName(c, this.data.own, this.data.mirrored), c)));
      if (columns.includes(before)) metrics.value = before;
      this.drawChosen();
    };
    cases.addEventListener("change", fill);
    metrics.addEventListener("change", () => this.drawChosen());
    this.fill = fill;
    Object.assign(this, { cases, metrics });
  }

  // Everything anew; panels when they come into sight.
  show() {
    this.panels.forEach((panel) => later(panel.place, () => this.drawPanel(panel)));
    later(this.root.querySelector("#chosen"), () => this.fill());
    this.showSummary();
    this.others.forEach((show) => show());
  }

  curvesOf(panel) {
    const found = [];
    for (const name of panel.cases) {
      const own = this.data.cases[name];
      if (!own) continue;
      for (const [column, c] of Object.entries(own.columns)) {
        if (!panel.metrics.includes(column.split(".")[0])) continue;
        found.push({ name, own, column, c });
      }
    }
    return found;
  }

  drawPanel(panel) {
    const found = this.curvesOf(panel);
    if (!found.length) { panel.place.remove(); return; }
    const several = new Set(found.map((f) => f.name)).size > 1;
    const traces = found.flatMap(({ name, own, column, c }, k) => this.traces(own, column, c, LINES[k % LINES.length], several ? `, ${name.replaceAll("_", " ")}` : ""));
    this.plot(panel.place, panel.title, traces, found[0].own, found[0].c);
  }

  drawChosen() {
    const own = this.data.cases[this.cases.value];
    const c = own.columns[this.metrics.value];
    const place = this.root.querySelector("#chosen");
    this.plot(place, `${shownName(this.metrics.value, this.data.own, this.data.mirrored)}, ${own.title.toLowerCase()}`, this.traces(own, this.metrics.value, c, LINES[0], ""), own, c);
    this.root.querySelector("#definition").textContent = `${this.metric(this.metrics.value).text} Positive: ${this.metric(this.metrics.value).positive[this.convention]}.`;
  }

  traces(own, column, c, colour, more) {
    const [sx, sy] = [this.sign(own.input), this.sign(this.metric(column))];
    const name = safe(shownName(column, this.data.own, this.data.mirrored) + more);
    const x = own.input.values.map((v) => sx * v);
    const out = [{ x, y: c.values.map((v) => (v === null ? null : sy * v)), name, mode: "lines", line: { color: colour, width: 2 } }];
    if (c.design !== null) out.push({ x: [0], y: [sy * c.design], mode: "markers", marker: { color: colour, size: 6 }, showlegend: false, hoverinfo: "skip" });
    Object.entries(c.others).forEach(([other, [ox, oy]]) => {
      const laid = LAID[this.data.others.indexOf(other) % LAID.length];
      out.push({ x: ox.map((v) => sx * v), y: oy.map((v) => (v === null ? null : sy * v)), name: safe(other), mode: "lines", line: { color: laid, width: 1.5, dash: "dash" } });
    });
    return out;
  }

  plot(place, title, traces, own, c) {
    diagram(place, traces, { title, x: `${own.input.name} [${own.input.unit}]`, y: `[${c.unit}]`, hover: "x unified" });
  }

  showSummary() {
    const wanted = new Set(this.data.panels.flatMap((p) => p.metrics));
    const place = this.root.querySelector("#summary");
    const open = new Set([...place.querySelectorAll("details[open]")].map((own) => own.dataset.case));
    place.replaceChildren(...Object.entries(this.data.cases).map(([name, own], k) => {
      const rows = [["", "at design", "per input", "over the range", "positive"]];
      for (const [column, c] of Object.entries(own.columns)) {
        if (!wanted.has(column.split(".")[0])) continue;
        const [sx, sy] = [this.sign(own.input), this.sign(this.metric(column))];
        const values = c.values.filter((v) => v !== null).map((v) => sy * v);
        const times = (x, s) => (x === null ? null : s * x);
        rows.push([
          shownName(column, this.data.own, this.data.mirrored),
          `${digits(times(c.design, sy))} ${c.unit}`,
          c.gradient === null ? "–" : `${digits(times(c.gradient, sx * sy))} ${c.gradientUnit}`,
          `${digits(Math.min(...values))} to ${digits(Math.max(...values))}`,
          this.metric(column).positive[this.convention],
        ]);
      }
      const part = document.createElement("details");
      const head = document.createElement("summary");
      head.textContent = own.title;
      part.dataset.case = name;
      part.open = open.size ? open.has(name) : k === 0;
      part.append(head, tableOf(rows));
      return part;
    }));
  }
}

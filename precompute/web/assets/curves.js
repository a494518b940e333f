// Kinematics and compliance: panels, any metric, and the table at design.  Conventions differ by signs alone.

const LINES = ["#1f5fa8", "#c23b22", "#2e8540", "#8e44ad", "#17889b", "#e08e0b"];
const LAID = ["#e08e0b", "#17889b", "#b03a78", "#5d6d1e"];

function shownName(name, own, mirrored) {
  return (mirrored && name.endsWith(`.${own}`) ? name.slice(0, -own.length - 1) : name).replaceAll("_", " ").replaceAll(".", " ");
}

function digits(x, n = 4) {
  return x === null || x === undefined ? "–" : String(Number(x.toPrecision(n)));
}

class Curves {
  constructor(data, root) {
    Object.assign(this, { data, root, convention: "iso" });
    root.querySelector("#convention").addEventListener("change", (e) => { this.convention = e.target.value; this.show(); });
    this.panels = data.panels.map((panel) => {
      const place = document.createElement("div");
      place.className = "curve";
      root.querySelector("#panels").append(place);
      return { ...panel, place };
    });
    this.choose();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
    addEventListener("beforeprint", () => this.panels.forEach((panel) => this.drawPanel(panel)));
    this.watcher = new IntersectionObserver((seen) => {
      for (const one of seen) {
        if (one.isIntersecting) { this.watcher.unobserve(one.target); this.drawn.get(one.target)(); }
      }
    }, { rootMargin: "200px" });
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
    this.drawn = new Map(this.panels.map((panel) => [panel.place, () => this.drawPanel(panel)]));
    const chosen = this.root.querySelector("#chosen");
    this.drawn.set(chosen, () => this.fill());
    for (const place of this.drawn.keys()) { this.watcher.unobserve(place); this.watcher.observe(place); }
    this.showSummary();
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
    this.plot(place, "", this.traces(own, this.metrics.value, c, LINES[0], ""), own, c);
    this.root.querySelector("#definition").textContent = `${this.metric(this.metrics.value).text} Positive: ${this.metric(this.metrics.value).positive[this.convention]}.`;
  }

  traces(own, column, c, colour, more) {
    const [sx, sy] = [this.sign(own.input), this.sign(this.metric(column))];
    const name = shownName(column, this.data.own, this.data.mirrored) + more;
    const x = own.input.values.map((v) => sx * v);
    const out = [{ x, y: c.values.map((v) => (v === null ? null : sy * v)), name, mode: "lines", line: { color: colour, width: 2 } }];
    if (c.design !== null) out.push({ x: [0], y: [sy * c.design], mode: "markers", marker: { color: colour, size: 6 }, showlegend: false, hoverinfo: "skip" });
    Object.entries(c.others).forEach(([other, [ox, oy]]) => {
      const laid = LAID[this.data.others.indexOf(other) % LAID.length];
      out.push({ x: ox.map((v) => sx * v), y: oy.map((v) => (v === null ? null : sy * v)), name: other, mode: "lines", line: { color: laid, width: 1.5, dash: "dash" } });
    });
    return out;
  }

  plot(place, title, traces, own, c) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const axis = { gridcolor: colour("line"), zerolinecolor: colour("soft"), linecolor: colour("line"), automargin: true };
    Plotly.react(place, traces, {
      title: { text: safe(title), font: { size: 13 }, x: 0.02, xanchor: "left" },
      margin: { l: 44, r: 10, t: title ? 30 : 12, b: 36 },
      font: { family: "system-ui, sans-serif", size: 11, color: colour("ink") },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      xaxis: { ...axis, title: { text: safe(`${own.input.name} [${own.input.unit}]`), standoff: 4 } },
      yaxis: { ...axis, title: { text: safe(`[${c.unit}]`), standoff: 4 } },
      showlegend: traces.filter((t) => t.showlegend !== false).length > 1,
      legend: { x: 0.01, y: 0.99, font: { size: 9 }, bgcolor: "rgba(0,0,0,0)" },
      hovermode: "x unified",
    }, { displayModeBar: false, responsive: true });
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

// Plotly takes a little HTML in texts: names are to be shown as they are.
function safe(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function tableOf(rows) {
  const table = document.createElement("table");
  rows.forEach((row, i) => {
    const line = table.insertRow();
    row.forEach((text, k) => {
      const cell = document.createElement(i === 0 ? "th" : "td");
      if (k > 0 && k < 4) cell.className = "n";
      cell.textContent = text;
      line.append(cell);
    });
  });
  return table;
}

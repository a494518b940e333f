// What joints, springs and bushings carry over a case: a diagram for each kind, and a table of the largest.

const MOST_CURVES = 6;

class Loads {
  constructor(data, curves, root) {
    Object.assign(this, { data, curves, root });
    this.cases = root.querySelector("#loads-case");
    for (const [name, own] of Object.entries(data)) this.cases.append(new Option(own.title, name));
    this.cases.addEventListener("change", () => this.show());
    curves.others.push(() => this.show());
    this.show();
  }

  get own() { return this.data[this.cases.value]; }

  // Diagrams anew; drawn when they come into sight.
  show() {
    const { own } = this;
    const places = own.groups.map(() => document.createElement("div"));
    this.root.querySelector("#loads-curves").replaceChildren(...places);
    places.forEach((place, k) => {
      place.className = "curve";
      later(place, () => this.draw(place, own, own.groups[k]));
    });
    this.root.querySelector("#loads-title").textContent = own.title;
    this.showTable();
  }

  draw(place, own, group) {
    const s = this.curves.sign(own.input);
    const x = own.input.values.map((v) => s * v);
    const size = (load) => Math.abs(load.values[load.most]);
    const shown = [...group.loads].sort((a, b) => size(b) - size(a)).slice(0, MOST_CURVES);
    const alone = shown.length === 1 ? `: ${shown[0].name}` : "";
    const more = group.loads.length > shown.length ? `, the ${shown.length} largest of ${group.loads.length}` : alone;
    const traces = shown.map((load, k) => ({ x, y: load.values, name: safe(load.name), mode: "lines", showlegend: true, line: { color: LINES[k], width: 1.8 } }));
    this.curves.plot(place, group.title + more, traces, own, group);
  }

  showTable() {
    const { own } = this;
    const s = this.curves.sign(own.input);
    const nearest = own.input.values.reduce((best, v, i, all) => (Math.abs(v) < Math.abs(all[best]) ? i : best), 0);
    const rows = [["", "at design", "largest", `at [${own.input.unit}]`, "x there", "y there", "z there", ""]];
    for (const { title, unit, loads } of own.groups) {
      for (const load of loads) {
        const size = Math.abs(load.values[load.most]);
        const parts = load.parts.length ? load.parts.map((v) => digits(v, 4, size)) : ["", "", ""];
        rows.push([load.name, digits(load.values[nearest], 4, size), digits(load.values[load.most]), digits(s * own.input.values[load.most]), ...parts, `${unit}, ${title.toLowerCase()}`]);
      }
    }
    this.root.querySelector("#loads-table").replaceChildren(tableOf(rows, [1, 2, 3, 4, 5, 6]));
  }
}

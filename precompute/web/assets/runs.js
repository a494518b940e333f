// Outputs of a run over time: a diagram per group and unit.

function showRuns(data, root) {
  for (const group of data.groups) {
    for (const unit of new Set(group.traces.map((t) => t.unit))) {
      const place = document.createElement("div");
      place.className = "curve";
      root.append(place);
      const traces = group.traces.filter((t) => t.unit === unit).map((t) => ({ x: data.time, y: t.values, name: safe(t.name), mode: "lines", line: { width: 1.5 } }));
      later(place, () => diagram(place, traces, { title: group.title, x: "time [s]", y: `[${unit}]`, legend: traces.length < 7 }));
    }
  }
}

// Outputs of a run over time: a diagram per group and unit.

function showRuns(data, root) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  for (const group of data.groups) {
    for (const unit of new Set(group.traces.map((t) => t.unit))) {
      const place = document.createElement("div");
      place.className = "curve";
      root.append(place);
      const axis = { gridcolor: colour("line"), zerolinecolor: colour("soft"), automargin: true };
      const traces = group.traces.filter((t) => t.unit === unit).map((t) => ({ x: data.time, y: t.values, name: safe(t.name), mode: "lines", line: { width: 1.5 } }));
      const watcher = new IntersectionObserver((seen) => {
        if (!seen.some((one) => one.isIntersecting)) return;
        watcher.disconnect();
        Plotly.newPlot(place, traces, {
          title: { text: safe(group.title), font: { size: 13 }, x: 0.02, xanchor: "left" },
          margin: { l: 44, r: 10, t: 30, b: 36 },
          font: { family: "system-ui, sans-serif", size: 11, color: colour("ink") },
          paper_bgcolor: "rgba(0,0,0,0)",
          plot_bgcolor: "rgba(0,0,0,0)",
          xaxis: { ...axis, title: { text: "time [s]", standoff: 4 } },
          yaxis: { ...axis, title: { text: safe(`[${unit}]`), standoff: 4 } },
          showlegend: traces.length < 7,
          legend: { x: 0.01, y: 0.99, font: { size: 9 }, bgcolor: "rgba(0,0,0,0)" },
        }, { displayModeBar: false, responsive: true });
      }, { rootMargin: "200px" });
      watcher.observe(place);
    }
  }
}

// Diagrams by Plotly: in colours of the page, drawn when they come into sight, all of them on paper.

const LINES = ["#1f5fa8", "#c23b22", "#2e8540", "#8e44ad", "#17889b", "#e08e0b", "#7f7f7f", "#b03a78"];
const WAITING = new Set();
const DRAWINGS = new Map();
const WATCHER = new IntersectionObserver((seen) => {
  for (const one of seen) if (one.isIntersecting) drawNow(one.target);
}, { rootMargin: "200px" });

function later(place, draw) {
  DRAWINGS.set(place, draw);
  WAITING.add(place);
  WATCHER.unobserve(place);
  WATCHER.observe(place);
}

function drawNow(place) {
  WAITING.delete(place);
  WATCHER.unobserve(place);
  if (place.isConnected) DRAWINGS.get(place)();
  else DRAWINGS.delete(place);
}

// What has been drawn, in other colours or of another size; on paper everything.
function redraw(all) {
  for (const place of [...DRAWINGS.keys()]) if (all || !WAITING.has(place)) drawNow(place);
}

function hue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Plotly takes a little HTML in texts: names are to be shown as they are.
function safe(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function diagram(place, traces, { title = "", x, y, legend = true, hover = "closest" }) {
  const axis = { gridcolor: hue("line"), zerolinecolor: hue("soft"), linecolor: hue("line"), automargin: true };
  const { width, height } = place.getBoundingClientRect();
  const named = legend ? traces.filter((t) => t.showlegend !== false).map((t) => t.name || "") : [];
  const entry = Math.min(5.6 * Math.max(0, ...named.map((name) => name.length)) + 4, width - 70);
  const rows = named.length > 1 ? Math.ceil(named.length / Math.max(1, Math.floor((width - 60) / (entry + 45)))) : 0;
  Plotly.react(place, traces, {
    width: Math.floor(width) - 2,
    height: Math.floor(height) - 2,
    title: { text: safe(title), font: { size: 13 }, x: 0.02, xanchor: "left" },
    margin: { l: 44, r: 12, t: title ? 30 : 12, b: 36 + 15 * rows },
    font: { family: "system-ui, sans-serif", size: 11, color: hue("ink") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    xaxis: { ...axis, title: { text: safe(x), standoff: 4 } },
    yaxis: { ...axis, title: { text: safe(y), standoff: 4 } },
    showlegend: rows > 0,
    legend: { orientation: "h", x: 0, yref: "container", y: 0, yanchor: "bottom", entrywidth: entry, font: { size: 10 }, bgcolor: "rgba(0,0,0,0)" },
    hovermode: hover,
    hoverlabel: { namelength: -1 },
  }, { displayModeBar: false });
}

function tableOf(rows, numeric = [1, 2, 3]) {
  const table = document.createElement("table");
  const [head, body] = [table.createTHead(), table.createTBody()];
  rows.forEach((row, i) => {
    const line = (i === 0 ? head : body).insertRow();
    row.forEach((text, k) => {
      const cell = document.createElement(i === 0 ? "th" : "td");
      if (numeric.includes(k)) cell.className = "n";
      cell.textContent = text;
      line.append(cell);
    });
  });
  return table;
}

addEventListener("resize", () => redraw(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(false));
addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); redraw(true); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); redraw(true); });

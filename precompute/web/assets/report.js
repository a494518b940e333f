const data = JSON.parse(document.getElementById("data").textContent);
const view = new View(data.view, document.querySelector(".view"));
window.kinetab = { data, view };
if (data.axle) window.kinetab.curves = new Curves(data.axle, document.querySelector("#kc"));
if (data.loads) window.kinetab.loads = new Loads(data.loads, window.kinetab.curves, document.querySelector("#loads"));
if (data.modes) window.kinetab.modes = new Modes(data.modes, view);
if (data.live) window.kinetab.live = new Live(data.live, view, document.querySelector("#live"));
if (data.run) showRuns(data.run, document.querySelector("#runs"));

kinetab.ready = (async () => {
  const { data, view } = kinetab;
  const part = (id) => document.querySelector(`#${id}`);
  await unpackLibrary();
  if (data.axle) kinetab.curves = new Curves(data.axle, part("kc"));
  if (data.loads) kinetab.loads = new Loads(data.loads, kinetab.curves, part("loads"));
  if (data.modes) kinetab.modes = new Modes(data.modes, view);
  if (data.live) kinetab.live = new Live(data.live, view, part("live"));
  if (data.run) showRuns(data.run, part("runs"));
})();

// The kernel in the page.  An instance lives in the memory of the module; a run begins with a new one.

const SHAPES = {
  step: (t, T) => (t >= 0.1 ? 1 : 0),
  ramp: (t, T) => Math.min(1, Math.max(0, (t - 0.1) / T)),
  sine: (t, T) => (t >= 0.1 ? Math.sin(2 * Math.PI * (t - 0.1) / T) : 0),
  kerb: (t, T) => (t >= 0.1 && t < 0.1 + T ? Math.sin(Math.PI * (t - 0.1) / T) ** 2 : 0),
};

class Instance {
  constructor(compiled, model) {
    this.x = new WebAssembly.Instance(compiled, {}).exports;
    this.x._initialize();
    const place = this.x.malloc(model.length + 8);
    const at = (place + 7) & ~7;
    new Uint8Array(this.x.memory.buffer).set(model, at);
    this.text = this.x.malloc(1024);
    this.numbers = this.x.malloc(8 * 1024 + 8) + 7 & ~7;
    this.references = this.x.malloc(4 * 1024 + 8) + 7 & ~7;
    this.k = this.x.kt_create(at, model.length, this.text, 1024);
    if (!this.k) throw new Error(this.read(this.text));
  }

  read(at) {
    const bytes = new Uint8Array(this.x.memory.buffer, at, 1024);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  check(status) {
    if (status > 1) throw new Error(this.read(this.x.kt_message(this.k)));
  }

  set(references, values) {
    new Uint32Array(this.x.memory.buffer, this.references, references.length).set(references);
    new Float64Array(this.x.memory.buffer, this.numbers, values.length).set(values);
    this.check(this.x.kt_set(this.k, this.references, references.length, this.numbers));
  }

  get(references) {
    new Uint32Array(this.x.memory.buffer, this.references, references.length).set(references);
    this.check(this.x.kt_get(this.k, this.references, references.length, this.numbers));
    return Array.from(new Float64Array(this.x.memory.buffer, this.numbers, references.length));
  }

  begin() {
    this.check(this.x.kt_setup(this.k, 0));
    this.check(this.x.kt_enter_initialization(this.k));
    this.check(this.x.kt_exit_initialization(this.k));
  }
}

class Live {
  constructor(data, view, root) {
    Object.assign(this, { data, view, root });
    this.ready = this.unpack();
    this.find = (id) => root.querySelector(`#live-${id}`);
    this.rates = data.parameters.map((own) => this.rate(own));
    const best = data.inputs.findIndex((own) => /^(wheel|port)\..*\.F\[3\]$/.test(own.name));
    this.find("input").value = Math.max(0, best);
    this.find("input").addEventListener("change", () => this.suggest());
    this.find("run").addEventListener("click", () => this.start());
    this.find("output").addEventListener("change", () => this.draw());
    const first = data.outputs.findIndex((own) => own.name.startsWith("spring.") && own.name.endsWith(".force"));
    this.find("output").value = Math.max(0, first);
    for (const id of ["#play", "#home"]) view.root.querySelector(id).addEventListener("click", () => cancelAnimationFrame(this.playing));
    this.suggest();
  }

  async unpack() {
    const kernel = await bytesOf(this.data.kernel);
    this.model = await bytesOf(this.data.model);
    this.compiled = await WebAssembly.compile(kernel);
  }

  rate(own) {
    const label = document.createElement("label");
    const [name, input, output] = ["span", "input", "output"].map((tag) => document.createElement(tag));
    label.className = "slider";
    name.textContent = own.name;
    Object.assign(input, { type: "range", min: -2, max: 2, step: 0.05, value: 0 });
    const show = () => { output.textContent = `${Math.round(100 * 2 ** Number(input.value))} %`; };
    input.addEventListener("input", show);
    show();
    label.append(name, output, input);
    this.find("rates").append(label);
    return { own, value: () => own.start * 2 ** Number(input.value) };
  }

  // A load that does something: as large as the one at the start, or usual for its unit.
  suggest() {
    const own = this.data.inputs[Number(this.find("input").value)];
    const usual = { N: 1000, "N m": 100, m: 0.02, rad: 0.05 }[own.unit] || 1;
    this.find("size").value = Math.abs(own.start) > 0 ? Number((0.3 * own.factor * own.start).toPrecision(2)) : usual;
    this.find("unit").textContent = own.unit;
  }

  // Samples of all outputs, and of the coordinates, over time; a load is what is added to the start of its input.
  run({ input, size, shape, time, stop, parameters }) {
    const own = new Instance(this.compiled, this.model);
    const { data } = this;
    own.set(parameters.map((p) => p.reference), parameters.map((p) => p.value));
    const start = own.get([input.reference])[0];
    const load = (t) => start + size / input.factor * SHAPES[shape](t, time);
    own.set([input.reference], [load(0)]);
    own.begin();
    const references = [...data.outputs.map((o) => o.reference), ...data.coordinates];
    const found = { time: [0], values: [own.get(references)] };
    const count = Math.round(stop / data.step);
    const begun = performance.now();
    for (let i = 0; i < count; i++) {
      own.set([input.reference], [load((i + 0.5) * data.step)]);
      own.check(own.x.kt_step(own.k, i * data.step, data.step));
      found.time.push((i + 1) * data.step);
      found.values.push(own.get(references));
    }
    found.seconds = (performance.now() - begun) / 1000;
    return found;
  }

  async start() {
    const number = (id) => Number(this.find(id).value);
    try {
      await this.ready;
      this.found = this.run({
        input: this.data.inputs[number("input")],
        size: number("size"),
        shape: this.find("shape").value,
        time: number("time"),
        stop: number("stop"),
        parameters: this.rates.map(({ own, value }) => ({ reference: own.reference, value: value() })),
      });
    } catch (error) {
      this.find("said").textContent = `It stopped: ${error.message}`;
      return;
    }
    const steps = this.found.time.length - 1;
    this.find("said").textContent = `${steps} steps of ${1000 * this.data.step} ms in ${this.found.seconds.toPrecision(2)} s, outputs read: ${Math.round(this.found.time[steps] / this.found.seconds)} x real time.`;
    later(this.find("curve"), () => this.draw());
    drawNow(this.find("curve"));
    this.play();
  }

  draw() {
    if (!this.found) return;
    const number = Number(this.find("output").value);
    const own = this.data.outputs[number];
    const traces = [{ x: this.found.time, y: this.found.values.map((v) => own.factor * v[number]), mode: "lines", line: { color: hue("accent"), width: 2 } }];
    diagram(this.find("curve"), traces, { x: "time [s]", y: `${own.name} [${own.unit}]` });
  }

  // The mechanism where its free coordinates are, in real time.
  play() {
    const motion = this.view.motions.find((m) => m.name === "coordinates");
    if (!motion || motion.axes.length !== this.data.coordinates.length) return;
    this.view.home();
    cancelAnimationFrame(this.playing);
    const begun = performance.now();
    const first = this.data.outputs.length;
    const frame = (now) => {
      const i = Math.min(this.found.time.length - 1, Math.round((now - begun) / 1000 / this.data.step));
      motion.axes.forEach((a, k) => this.view.set("coordinates", k, a.factor * this.found.values[i][first + k]));
      if (i < this.found.time.length - 1) this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
  }
}

// Model: the program in its thread, and what it answers.

const embedded = (id) => JSON.parse(document.getElementById(id).textContent);

class Model {
  #worker;
  #waiting = new Map();
  #next = 0;

  constructor() {
    const url = URL.createObjectURL(new Blob([embedded('worker')], { type: 'text/javascript' }));
    this.#worker = new Worker(url);
    this.#worker.onmessage = ({ data: { id, result } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (result.error) reject(new Error(result.error));
      else resolve(result);
    };
    this.#worker.onerror = (event) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(event.message || 'the model stopped'));
      this.#waiting.clear();
    };
  }

  #send(message, transfer = []) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message }, transfer);
    });
  }

  // open starts the program and reads the scenario.
  async open(scenario) {
    const packed = Uint8Array.from(atob(embedded('wasm')), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const wasm = await new Response(stream).arrayBuffer();
    await this.#send({ wasm }, [wasm]);
    return this.#send({ call: 'open', argument: scenario });
  }

  // run returns the day with the actions.
  async run(actions) {
    return new Day(await this.#send({ call: 'run', argument: actions }));
  }
}

// Day is a run: rows over time, dense where something moves. Two rows of one time are a jump.
class Day {
  constructor(result) {
    Object.assign(this, result);
    const c = this.columns;
    this.t = c.t_s;
    this.asked = c.boots_per_s;
    this.waiting = c.waiting_clients;
    this.success = c.boot_success;
    this.goodput = this.t.map((_, i) => c.admitted_per_s[i] * c.boot_success[i]);
    this.rate = this.hit ? c[`hit_rate.${this.hit}`] : null;
    this.loads = Object.keys(c)
      .filter((name) => name.startsWith('load.'))
      .map((name) => ({ name: name.slice(5), values: c[name] }));
    this.load = this.t.map((_, i) => Math.max(...this.loads.map((l) => l.values[i])));
  }

  // row returns the last row at or before a time.
  row(t) {
    let lo = 0;
    let hi = this.t.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.t[mid] <= t) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }

  // at returns a series at a time, between rows on a straight line.
  at(series, t) {
    const i = this.row(t);
    const j = Math.min(i + 1, this.t.length - 1);
    const width = this.t[j] - this.t[i];
    const value = width > 0 ? series[i] + ((series[j] - series[i]) * (t - this.t[i])) / width : series[i];
    return Number.isNaN(value) ? series[i] : value; // Infinity − Infinity
  }

  // outage returns the seconds of outage until a time.
  outage(t) {
    return this.outages.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, t) - from), 0);
  }

  inOutage(t) {
    return this.outages.some(([from, to]) => from <= t && t < to);
  }
}

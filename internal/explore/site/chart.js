// Chart: four panels over one time axis, drawn on a canvas.

// nice returns a round number of at least max, and into how many round parts it goes.
function nice(max) {
  const unit = 10 ** Math.floor(Math.log10(max));
  const [k, parts] = [[1, 4], [2, 4], [4, 4], [6, 3], [8, 4], [10, 5]].find(([v]) => v * unit >= max * 0.999);
  return [k * unit, parts];
}

const short = (v) => {
  const [div, suffix] = v >= 1e6 ? [1e6, ' M'] : v >= 1e4 ? [1e3, ' k'] : [1, ''];
  return Number((v / div).toPrecision(3)).toLocaleString('en') + suffix;
};

const percent = (share, digits = 0) => `${(100 * share).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} %`;

// Scales of the panels: low and high by what is seen so far, and where to put marks.
const linear = (low, high, marks) => ({ to: (v) => (v - low) / (high - low), marks });
const steps = (low, high, n) => Array.from({ length: n + 1 }, (_, i) => low + ((high - low) * i) / n);

function hitScale(seen) {
  const low = seen.low < 0.5 ? 0 : seen.low < 0.8 ? 0.5 : 0.8;
  return linear(low, 1, steps(low, 1, low === 0.8 ? 4 : 5));
}

function loadScale(seen) {
  const high = seen.high > 10 ? 100 : seen.high > 2 ? 10 : 2;
  if (high === 2) return linear(0, 2, [0, 0.5, 1, 1.5, 2]);
  const low = 0.1;
  const to = (v) => Math.max(0, Math.log(v / low) / Math.log(high / low));
  return { to, marks: [0.1, 1, 10, 100].filter((v) => v <= high) };
}

function countScale(seen) {
  const [high, parts] = nice(Math.max(seen.high, 4));
  return linear(0, high, steps(0, high, parts));
}

// panels says what each panel shows. A series has values, a colour, a dash and a name.
const panels = [
  {
    title: 'Hit rate',
    unit: 'of the keys read',
    tall: 1.7,
    text: percent,
    scale: hitScale,
    series: (day) => [
      { values: day.rate, colour: 'hit', name: 'hit rate', width: 2.5 },
      { values: day.needed, colour: 'line', name: 'tipping line', dash: [7, 4], danger: true },
    ],
  },
  {
    title: 'Load',
    unit: 'of the database, of its capacity',
    text: percent,
    scale: loadScale,
    series: (day) => day.loads.map(({ name, values }, i) => ({ values, colour: 'load', name, width: i ? 1.5 : 2.5, dash: i ? [2, 3] : undefined })),
    limit: 1,
  },
  {
    title: 'Users per second',
    unit: '',
    text: short,
    scale: countScale,
    series: (day) => [
      { values: day.asked, colour: 'quiet', name: 'arrive', dash: [2, 3] },
      { values: day.throttle, colour: 'held', name: 'throttle', dash: [9, 3, 2, 3], free: true },
      { values: day.goodput, colour: 'good', name: 'get in', width: 2.5 },
    ],
  },
  {
    title: 'Users who wait',
    unit: 'to try again',
    text: short,
    scale: countScale,
    series: (day) => [{ values: day.waiting, colour: 'wait', name: 'wait', width: 2.5, fill: true }],
  },
];

class Chart {
  constructor(canvas, clockText) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.clockText = clockText;
    this.colours();
  }

  // colours reads those of the theme.
  colours() {
    const style = getComputedStyle(this.canvas);
    this.colour = {};
    for (const name of ['ink', 'quiet', 'rule', 'paper', 'hit', 'line', 'danger', 'load', 'good', 'held', 'wait', 'outage']) {
      this.colour[name] = style.getPropertyValue(`--${name}`).trim();
    }
  }

  // draw shows the day until now, within a window of time; forecast goes beyond it.
  draw(game, { from, to, forecast, marks }) {
    const { canvas, context: g } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.lineJoin = 'round';
    const left = 58;
    const right = width - 12;
    const x = (t) => left + ((right - left) * (t - from)) / (to - from);
    const shown = panels.filter((p) => p.series(game.day).every((s) => s.values));
    const [top, bottom, gap] = [18, 24, 30];
    const parts = shown.reduce((sum, p) => sum + (p.tall ?? 1), 0);
    const room = (height - top - bottom - gap * (shown.length - 1)) / parts;
    const view = { game, x, from, to, left, right, forecast, now: game.clock };
    let y1 = top;
    for (const panel of shown) {
      const y0 = y1 + room * (panel.tall ?? 1);
      this.panel(panel, { ...view, y0, y1 });
      y1 = y0 + gap;
    }
    this.times(view, height - bottom, top);
    this.marks(view, marks, top, height - bottom);
  }

  panel(panel, v) {
    const g = this.context;
    const day = v.game.day;
    const series = panel.series(day);
    const scale = panel.scale(this.seen(day, series, v.forecast ? v.game.end : v.now));
    const y = (value) => v.y0 - (v.y0 - v.y1) * Math.min(1.5, Math.max(-1, scale.to(value))); // beyond the panel is cut off
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    this.outages(v, (x, width) => g.fillRect(x, v.y1, width, v.y0 - v.y1), 'outage');
    g.textAlign = 'right';
    for (const m of scale.marks) {
      g.strokeStyle = this.colour.rule;
      g.lineWidth = 1;
      this.stroke([[v.left, y(m)], [v.right, y(m)]]);
      g.fillStyle = this.colour.quiet;
      g.fillText(panel.text(m), v.left - 6, y(m));
    }
    if (panel.limit) {
      g.strokeStyle = this.colour.line;
      g.lineWidth = 1.5;
      this.stroke([[v.left, y(panel.limit)], [v.right, y(panel.limit)]], [7, 4]);
    }
    g.save();
    g.beginPath();
    g.rect(v.left, v.y1 - 2, v.right - v.left, v.y0 - v.y1 + 3);
    g.clip();
    for (const s of series) {
      const points = this.points(day, s, v, y, v.from, v.now);
      if (s.danger || s.fill) this.area(points, v.y0, s.danger ? this.colour.danger : this.colour[s.colour], s.danger ? 0.7 : 0.18);
    }
    for (const s of series) {
      g.strokeStyle = this.colour[s.colour];
      g.lineWidth = s.width ?? 1.75;
      this.stroke(this.points(day, s, v, y, v.from, v.now), s.dash);
      if (!v.forecast) continue;
      g.globalAlpha = 0.45;
      this.stroke(this.points(day, s, v, y, v.now, v.to), s.dash ?? [1, 4]);
      g.globalAlpha = 1;
    }
    g.restore();
    this.legend(panel, series, v);
    if (panel !== panels[0]) return;
    g.textAlign = 'left';
    this.outages(v, (x, width) => width > 50 && g.fillText('outage', x + 5, v.y0 - 8), 'quiet');
  }

  // seen returns the least and the greatest value shown so far.
  seen(day, series, until) {
    let [low, high] = [Infinity, 0];
    const last = day.row(until);
    for (const s of series) {
      for (let i = 0; i <= last; i++) {
        if (s.free || !Number.isFinite(s.values[i])) continue;
        if (!s.danger) low = Math.min(low, s.values[i]);
        high = Math.max(high, s.values[i]);
      }
    }
    return { low, high };
  }

  // points returns a series between two times, no more than a few to a pixel.
  points(day, s, v, y, from, to) {
    const points = [];
    const add = (t, value) => {
      if (Number.isFinite(value)) points.push([v.x(t), y(value)]);
      else if (points.length && points.at(-1)) points.push(null);
    };
    const first = day.row(from);
    const last = day.row(Math.min(to, day.t.at(-1)));
    add(from, day.at(s.values, from));
    for (let i = first + 1; i <= last; i++) add(day.t[i], s.values[i]);
    add(Math.min(to, day.t.at(-1)), day.at(s.values, to));
    return points;
  }

  stroke(points, dash = []) {
    const g = this.context;
    g.setLineDash(dash);
    g.beginPath();
    let pen = false;
    for (const p of points) {
      if (p) pen ? g.lineTo(...p) : g.moveTo(...p);
      pen = Boolean(p);
    }
    g.stroke();
    g.setLineDash([]);
  }

  area(points, base, colour, alpha) {
    const g = this.context;
    const there = points.filter(Boolean);
    if (there.length < 2) return;
    g.globalAlpha = alpha;
    g.fillStyle = colour;
    g.beginPath();
    g.moveTo(there[0][0], base);
    for (const p of there) g.lineTo(...p);
    g.lineTo(there.at(-1)[0], base);
    g.fill();
    g.globalAlpha = 1;
  }

  // outages calls draw for each outage in the window until now.
  outages(v, draw, colour) {
    this.context.fillStyle = this.colour[colour];
    for (const [a, b] of v.game.day.outages) {
      const [from, to] = [Math.max(a, v.from), Math.min(b, v.forecast ? v.to : v.now)];
      if (to > from) draw(v.x(from), v.x(to) - v.x(from));
    }
  }

  // legend names the panel and its series, each with a piece of its line.
  legend(panel, series, v) {
    const g = this.context;
    const y = v.y1 - 11;
    g.textBaseline = 'middle';
    g.textAlign = 'left';
    const wide = v.right - v.left > 480;
    g.font = '600 12px system-ui, sans-serif';
    g.fillStyle = this.colour.ink;
    g.fillText(panel.title, v.left, y);
    let x = v.left + g.measureText(panel.title).width + 6;
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = this.colour.quiet;
    if (wide) g.fillText(panel.unit, x, y);
    x = v.right;
    g.textAlign = 'right';
    for (const s of series.length > 1 ? [...series].reverse() : []) {
      g.fillStyle = this.colour.ink;
      g.fillText(s.name, x, y);
      x -= g.measureText(s.name).width + 4;
      g.strokeStyle = this.colour[s.colour];
      g.lineWidth = s.width ?? 1.75;
      this.stroke([[x - (wide ? 22 : 15), y], [x, y]], s.dash);
      x -= wide ? 34 : 21;
    }
  }

  times(v, y) {
    const g = this.context;
    const wide = (v.right - v.left) / 64;
    const every = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].find((s) => (v.to - v.from) / s <= wide) ?? 86400;
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'top';
    g.textAlign = 'center';
    for (let t = Math.ceil(v.from / every) * every; t <= v.to; t += every) {
      g.fillStyle = this.colour.quiet;
      const half = g.measureText(this.clockText(t)).width / 2;
      g.fillText(this.clockText(t), Math.min(Math.max(v.x(t), v.left), v.right + 10 - half), y + 7);
      g.strokeStyle = this.colour.rule;
      g.lineWidth = 1;
      this.stroke([[v.x(t), y], [v.x(t), y + 4]]);
    }
  }

  // marks draws a line at each action, and at the clock.
  marks(v, marks, top, bottom) {
    const g = this.context;
    g.font = '600 10px system-ui, sans-serif';
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    let [last, height] = [-Infinity, 0];
    marks.forEach(({ at, future }, i) => {
      if (at < v.from || at > v.to) return;
      const x = v.x(at);
      height = x - last < 17 ? 1 - height : 0; // one above the other where they are close
      last = x;
      const y = bottom - 9 - 17 * height;
      g.globalAlpha = future ? 0.35 : 0.8;
      g.strokeStyle = this.colour.quiet;
      g.lineWidth = 1;
      this.stroke([[x, top], [x, bottom]], [1, 3]);
      g.globalAlpha = future ? 0.5 : 1;
      g.fillStyle = this.colour.paper;
      g.beginPath();
      g.arc(x, y, 8, 0, 2 * Math.PI);
      g.fill();
      g.stroke();
      g.fillStyle = this.colour.ink;
      g.fillText(i + 1, x, y + 0.5);
      g.globalAlpha = 1;
    });
    g.strokeStyle = this.colour.ink;
    g.lineWidth = 1.5;
    this.stroke([[v.x(v.now), top - 4], [v.x(v.now), bottom]]);
  }
}

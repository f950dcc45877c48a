// Page: what is clicked, pressed and shown.

const $ = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const speeds = [1, 2, 5, 10, 30]; // minutes of the day per second

function span(seconds) {
  const min = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return min < 60 ? `${min} min` : `${Math.floor(min / 60)} h ${String(min % 60).padStart(2, '0')} min`;
}

// row makes a row of a table whose first cell names it.
function row(kind, texts) {
  const tr = document.createElement('tr');
  tr.append(...texts.map((text, i) => Object.assign(document.createElement(i ? kind : 'th'), { textContent: text })));
  return tr;
}

class Page {
  playing = false;
  #drawn = 0; // ms
  #before = 0;
  #frames = [];
  #told = '';

  constructor(game) {
    this.game = game;
    this.chart = new Chart($('chart'), (t) => this.clockText(t));
    const { facts } = game;
    $('time').max = facts.duration;
    $('time').step = Math.min(60, facts.duration / 100);
    $('speed').append(...speeds.map((s) => new Option(`${s} min/s`, s, s === 5, s === 5)));
    $('rate').value = Number((facts.boots / 7.5).toPrecision(1));
    $('rollout').firstElementChild.textContent = `Restart ${percent(facts.step)}`;
    this.fixes = facts.fixes.map((label, i) => {
      const button = document.createElement('button');
      button.append(`${label[0].toUpperCase()}${label.slice(1)} `);
      const key = document.createElement('kbd');
      key.textContent = i + 1;
      button.append(key);
      button.setAttribute('aria-keyshortcuts', i + 1);
      $('fixes').append(button);
      return button;
    });
    $('fixes').hidden = facts.fixes.length === 0;
    const rollout = facts.incident.some((a) => a.do === 'rollout');
    const applies = { rollout, events: !rollout, cache: game.day.rate !== null };
    for (const e of document.querySelectorAll('[data-for]')) e.hidden = !applies[e.dataset.for];
    this.wire();
  }

  // clockText is the time of the day, or since the start where the scenario has no date.
  clockText(t) {
    const { start, duration } = this.game.facts;
    const s = Math.floor(t + (start || 0) + 1e-6);
    const pad = (v) => String(v).padStart(2, '0');
    const long = Number.isNaN(start) && duration < 7200;
    return long ? `${Math.floor(s / 60)}:${pad(s % 60)}` : `${pad(Math.floor(s / 3600) % 24)}:${pad(Math.floor(s / 60) % 60)}`;
  }

  wire() {
    const { game } = this;
    const { facts } = game;
    const does = {
      play: () => this.play(!this.playing),
      step: () => this.go(game.clock + 60),
      leap: () => this.go(game.clock + 600),
      finish: () => this.go(game.end),
      rollout: () => this.act('rollout', facts.step, facts.stepOver),
      pause: () => this.act('pause'),
      throttle: () => ($('rate').validity.valid
        ? this.act('throttle', Number($('rate').value))
        : this.fails('The throttle wants a number: users per second, 0 or more.')),
      relax: () => this.act('throttle', Number((game.limit() * 1.5).toPrecision(2))),
      off: () => this.act('off'),
      undo: () => this.change(() => game.undo()),
      restart: () => this.intro(),
      link: () => this.copyLink(),
      save: () => this.saveScenario(),
    };
    for (const [id, what] of Object.entries(does)) $(id).addEventListener('click', what);
    this.fixes.forEach((button, i) => button.addEventListener('click', () => this.act('fix', i)));
    const keys = {
      ' ': 'play', '.': 'step', ',': 'leap', End: 'finish', r: 'rollout', p: 'pause', t: 'throttle', e: 'relax', o: 'off',
      u: 'undo', n: 'restart', l: 'link',
    };
    document.addEventListener('keydown', (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || !$('keys').checked || document.querySelector('dialog[open]')) return;
      if (target.matches('input[type=number], select') || (target.matches('button, input') && [' ', 'Enter', 'End'].includes(key))) return;
      const button = keys[key] ? $(keys[key]) : this.fixes[Number(key) - 1];
      if (key === '[' || key === ']') {
        $('speed').selectedIndex = Math.min(speeds.length - 1, Math.max(0, $('speed').selectedIndex + (key === ']' ? 1 : -1)));
      }
      if (!button || button.disabled) return;
      event.preventDefault();
      button.click();
    });
    $('rate').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') $('throttle').click();
    });
    $('time').addEventListener('input', () => this.go(Number($('time').value)));
    for (const id of ['whole', 'forecast']) $(id).addEventListener('change', () => this.refresh());
    $('numbers').addEventListener('toggle', () => this.refresh());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.chart.colours();
      this.refresh();
    });
    addEventListener('resize', () => this.refresh());
    addEventListener('hashchange', () => this.fromLink());
    $('again').addEventListener('click', () => { $('end').close(); this.intro(); });
    $('share').addEventListener('click', () => this.copyLink($('share')));
    $('look').addEventListener('click', () => { $('end').close(); });
  }

  // change runs what alters the day, and says what fails; it tells whether it worked.
  async change(what) {
    $('problem').hidden = true;
    let error = null;
    try {
      await what();
      history.replaceState(null, '', toFragment(this.game.actions) || location.pathname + location.search);
    } catch (e) {
      error = e;
      this.fails(`That does not work: ${error.message}`);
    }
    this.list();
    this.refresh();
    return error === null;
  }

  fails(text) {
    $('problem').textContent = text;
    $('problem').hidden = false;
  }

  act(verb, value, over) {
    return this.change(() => this.game.act(verb, value, over));
  }

  play(on) {
    this.playing = on && this.game.clock < this.game.end;
    $('play').firstChild.textContent = this.playing ? 'Stop ' : 'Play ';
  }

  // go moves the clock.
  go(t) {
    const { game } = this;
    const before = game.clock;
    game.clock = Math.min(game.end, Math.max(0, t));
    if (game.actions.some((a) => a.at > Math.min(before, game.clock) && a.at <= Math.max(before, game.clock))) this.list();
    this.refresh();
    if (game.clock >= game.end && before < game.end) this.finish();
  }

  // frame is called by the browser before each picture.
  frame(now) {
    requestAnimationFrame((t) => this.frame(t));
    this.#frames.push(now);
    while (this.#frames[0] < now - 1000) this.#frames.shift();
    const pace = still.matches ? 500 : 0; // ms between pictures
    if (now - this.#drawn < pace) return;
    const passed = Math.min(now - this.#drawn, pace + 100) / 1000;
    this.#drawn = now;
    if (this.playing && !this.game.busy) this.go(this.game.clock + passed * 60 * Number($('speed').value));
  }

  get framesPerSecond() {
    return this.#frames.length;
  }

  // window is the time that the chart shows.
  window() {
    const { end, clock } = this.game;
    const width = $('whole').checked ? end : Math.min(end, Math.max(end / 4, 600));
    const from = Math.min(Math.max(0, clock - 0.75 * width), end - width);
    return { from, to: from + width };
  }

  refresh() {
    const { game } = this;
    const { day, clock } = game;
    const marks = game.actions.map((a) => ({ at: a.at, future: a.at > clock }));
    this.chart.draw(game, { ...this.window(), forecast: $('forecast').checked, marks });
    const now = (series) => day.at(series, clock);
    $('time').value = clock;
    $('time').setAttribute('aria-valuetext', this.clockText(clock));
    const show = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };
    show('clock', this.clockText(clock));
    show('hit', day.rate ? percent(Math.floor(1e4 * now(day.rate)) / 1e4, 2) : '–');
    show('load', percent(now(day.load)));
    show('goodput', `${short(now(day.goodput))}/s`);
    show('waiting', short(Math.round(now(day.waiting))));
    show('outage', span(day.outage(clock)));
    this.tell();
    this.enable();
    if ($('numbers').open) this.numbers();
  }

  // numbers is the table until now, for those who do not see the chart.
  numbers() {
    const { game } = this;
    const { table, hit } = game.day;
    const columns = [
      ['clock', table.t_s, (v) => this.clockText(v)],
      ...(hit ? [['hit rate', table[`hit_rate.${hit}`], (v) => percent(v, 2)]] : []),
      ...game.day.loads.map(({ name }) => [`load of ${name}`, table[`load.${name}`], percent]),
      ['users arrive /s', table.boots_per_s, short],
      ['let in /s', table.admitted_per_s, short],
      ['of them get in', table.boot_success, percent],
      ['wait', table.waiting_clients, (v) => short(Math.round(v))],
    ];
    const rows = [...table.t_s.keys()].filter((i) => table.t_s[i] <= game.clock);
    if ($('numbers').dataset.rows === `${rows.length} ${toFragment(game.actions)}`) return;
    $('numbers').dataset.rows = `${rows.length} ${toFragment(game.actions)}`;
    $('numbers').querySelector('thead').replaceChildren(row('th', columns.map(([name]) => name)));
    $('numbers').querySelector('tbody').replaceChildren(...rows.map((i) => row('td', columns.map(([, values, text]) => text(values[i])))));
  }

  // tell says what happens in words.
  tell() {
    const { day, clock, facts } = this.game;
    const state = facts.states[day.state[day.row(clock)]];
    if (this.#told === state.title) return;
    this.#told = state.title;
    const [title, text] = $('state').children;
    $('state').dataset.tone = state.tone;
    title.textContent = `${state.title}.`;
    text.textContent = state.text;
  }

  enable() {
    const { game } = this;
    const roll = game.rollout();
    const limit = game.limit();
    const off = (id, disabled) => { $(id).disabled = disabled; };
    off('rollout', roll.running || roll.share > 0.999);
    off('pause', !roll.running);
    off('relax', !Number.isFinite(limit) || limit === 0);
    off('off', !Number.isFinite(limit));
    off('undo', !game.canUndo);
    off('play', game.clock >= game.end);
    this.fixes.forEach((button, i) => { button.disabled = game.applied(i); });
    $('progress').value = roll.share;
    $('fleet').textContent = `${percent(roll.share)} restarted`;
    $('limit').textContent = Number.isFinite(limit) ? `${short(limit)}/s` : 'off';
  }

  // list shows the actions.
  list() {
    const { game } = this;
    $('log').replaceChildren(...game.actions.map((a) => {
      const item = document.createElement('li');
      const time = document.createElement('time');
      time.textContent = this.clockText(a.at);
      item.append(time, ` ${this.name(a)}`);
      if (a.at > game.clock) item.className = 'recorded';
      return item;
    }));
  }

  name(a) {
    return {
      rollout: () => `restart ${percent(a.value)}`,
      pause: () => 'pause the rollout',
      throttle: () => `throttle ${short(a.value)}/s`,
      ramp: () => `throttle to ${short(a.value)}/s over ${span(a.over)}`,
      off: () => 'throttle off',
      fix: () => this.game.facts.fixes[a.value],
    }[a.do]();
  }

  async copyLink(button = $('link')) {
    const label = button.firstChild;
    const before = label.textContent;
    try {
      await navigator.clipboard.writeText(location.href);
      label.textContent = 'Copied ';
    } catch {
      label.textContent = 'It is in the address bar ';
    }
    setTimeout(() => { label.textContent = before; }, 2000);
  }

  saveScenario() {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([this.game.day.scenario], { type: 'application/yaml' }));
    a.download = 'mine.yaml';
    a.click();
    URL.revokeObjectURL(a.href);
  }

  // begin starts from a list of actions at a time.
  async begin(actions, clock, playing) {
    $('start').close();
    if (!(await this.change(() => this.game.take(actions, clock, false)))) {
      this.intro();
      return;
    }
    this.game.forget();
    this.refresh();
    this.play(playing && !still.matches);
    $('play').focus();
  }

  // intro offers the ways to start.
  intro() {
    this.play(false);
    const { incident } = this.game.facts;
    const choices = [['Play the day', 'from its beginning', [], 0, true]];
    if (incident.length > 0) {
      const [outage] = this.reference.outages;
      if (outage) {
        const at = Math.min(outage[1], Math.ceil((outage[0] + 240) / 60) * 60);
        choices.unshift([`Take over at ${this.clockText(at)}`, 'it has just gone down', incident.filter((a) => a.at <= at), at, false]);
      }
      choices.push(['Watch what they did', 'and take over whenever you like', incident, 0, true]);
    }
    $('start').querySelector('.choices').replaceChildren(...choices.map(([name, more, actions, clock, playing]) => {
      const button = document.createElement('button');
      const small = document.createElement('small');
      small.textContent = more;
      button.append(name, ' ', small);
      button.addEventListener('click', () => this.begin(actions, clock, playing));
      return button;
    }));
    $('start').showModal();
  }

  // fromLink replays the actions of the address.
  async fromLink() {
    let actions = null;
    try {
      actions = fromFragment(location.hash);
    } catch (error) {
      this.intro();
      this.fails(`The link does not work: ${error.message}`);
      return;
    }
    if (actions) await this.begin(actions, 0, true);
    else this.intro();
  }

  // finish shows how it went.
  finish() {
    this.play(false);
    $('whole').checked = true;
    this.refresh();
    const { day, end } = this.game;
    const theirs = this.reference;
    const rows = [
      ['Outage', span(day.outage(end)), span(theirs.outage(end))],
      ['Users who gave up', short(Math.round(day.lost.at(-1))), short(Math.round(theirs.lost.at(-1)))],
      ['Users still waiting', short(Math.round(day.waiting.at(-1))), short(Math.round(theirs.waiting.at(-1)))],
      ...(day.rate ? [['Fleet restarted', percent(this.game.rollout(end).share), percent(theirs.restarted)]] : []),
    ];
    const compare = this.game.facts.incident.length > 0;
    const cut = (texts) => (compare ? texts : texts.slice(0, 2));
    $('end').querySelector('thead').replaceChildren(row('th', cut(['', 'You', 'They'])));
    $('end').querySelector('tbody').replaceChildren(...rows.map((r) => row('td', cut(r))));
    $('end-title').textContent = this.verdict(day, theirs);
    $('end').showModal();
  }

  verdict(day, theirs) {
    const { game } = this;
    const [mine, incident] = [day.outage(game.end), theirs.outage(game.end)];
    if (day.inOutage(game.end - 1)) {
      return day.success.at(-1) < 0.9 ? 'The day ends, and it is still down.' : 'The day ends, and users are still held back.';
    }
    if (mine === 0 && game.rollout(game.end).share === 0) return 'Nothing broke.';
    if (mine === 0) return 'Nobody noticed.';
    if (toFragment(game.actions) === toFragment(game.facts.incident)) return 'That is what happened.';
    if (game.facts.incident.length === 0) return 'Home.';
    return mine < incident ? `Home, ${span(incident - mine)} sooner than they were.` : `Home, after ${span(mine)}.`;
  }
}

async function main() {
  try {
    const model = new Model();
    const game = new Game(model, await model.open(embedded('scenario')));
    await game.take(game.facts.incident, 0, false);
    const page = new Page(game);
    page.reference = Object.assign(game.day, { restarted: game.rollout(game.end).share });
    globalThis.explorer = page; // for those who look inside
    $('loading').remove();
    document.querySelector('main').hidden = false;
    await page.fromLink();
    page.refresh();
    requestAnimationFrame((t) => page.frame(t));
  } catch (error) {
    $('loading').remove();
    $('problem').textContent = `The model does not start: ${error.message}`;
    $('problem').hidden = false;
  }
}

main();

// Game: the actions, the clock and the way back.

class Game {
  actions = [];
  clock = 0; // s
  day = null;
  busy = false;
  #past = []; // {actions, clock} before each change

  constructor(model, facts) {
    this.model = model;
    this.facts = facts; // what the scenario says
    this.end = facts.duration;
  }

  // take runs the day with a list of actions; undo brings back what was before.
  async take(actions, clock, remember = true) {
    if (this.busy) return;
    this.busy = true;
    try {
      const day = await this.model.run(actions);
      if (remember) this.#past.push({ actions: this.actions, clock: this.clock });
      Object.assign(this, { day, actions, clock });
    } finally {
      this.busy = false;
    }
  }

  // act does something now. What was recorded for later is dropped: the player took over.
  act(verb, value = 0, over = 0) {
    const at = Math.round(this.clock);
    const actions = [...this.done(), { at, do: verb, value, over }];
    return this.take(actions, Math.max(this.clock, at));
  }

  async undo() {
    const last = this.#past.pop();
    if (last) await this.take(last.actions, last.clock, false);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  // forget makes the present the beginning.
  forget() {
    this.#past = [];
  }

  // done returns the actions until now, recorded those to come.
  done() {
    return this.actions.filter((a) => a.at <= this.clock);
  }

  recorded() {
    return this.actions.filter((a) => a.at > this.clock);
  }

  // rollout tells the share of the fleet restarted, and until when a step runs.
  rollout(t = this.clock) {
    let share = 0;
    let until = -1;
    let step = null;
    for (const a of this.actions) {
      if (a.at > t) break;
      if (a.do === 'rollout') [step, until] = [a, a.at + a.over];
      if (a.do === 'rollout') share += a.value;
      if (a.do === 'pause' && step) {
        share -= step.value * Math.max(0, (until - a.at) / step.over);
        [step, until] = [null, a.at];
      }
    }
    const left = step ? Math.max(0, (until - t) / step.over) * step.value : 0;
    return { share: share - left, left, until, running: t < until };
  }

  // limit returns the throttle in force, Infinity for none.
  limit() {
    return this.day.throttle[this.day.row(this.clock)];
  }

  applied(fix) {
    return this.done().some((a) => a.do === 'fix' && a.value === fix);
  }
}

// A link's fragment holds the actions: time in seconds, a letter, a value, ~ how long it takes.
const letters = { rollout: 'r', pause: 'p', throttle: 't', ramp: 'm', off: 'o', fix: 'f' };
const verbs = Object.fromEntries(Object.entries(letters).map(([verb, letter]) => [letter, verb]));
const valued = (verb) => verb !== 'pause' && verb !== 'off';

function toFragment(actions) {
  const text = actions.map((a) => a.at + letters[a.do] + (valued(a.do) ? a.value : '') + (a.over ? `~${a.over}` : ''));
  return text.length ? `#do=${text.join(',')}` : '';
}

// fromFragment returns the actions, null without any; it throws on what is none.
function fromFragment(fragment) {
  if (!fragment.startsWith('#do=')) return null;
  return fragment
    .slice(4)
    .split(',')
    .map((text) => {
      const found = /^(\d+(?:\.\d+)?)([rptmof])(\d+(?:\.\d+)?)?(?:~(\d+(?:\.\d+)?))?$/.exec(text);
      if (!found || valued(verbs[found[2]]) !== (found[3] !== undefined)) throw new Error(`“${text}” is no action`);
      return { at: Number(found[1]), do: verbs[found[2]], value: Number(found[3] ?? 0), over: Number(found[4] ?? 0) };
    });
}

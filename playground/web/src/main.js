// The page: what is in its fields is one state; what is asked of it, and how answers look, is in the other files.
import { button, el, failure, frame, report, taken } from './dom.js';
import { Editor } from './editor.js';
import { Engine } from './engine.js';
import { fragment, read } from './share.js';
import { techniques } from './techniques.js';
import { verdict, word } from './verdict.js';
import { walk } from './walk.js';

const $ = (id) => document.getElementById(id);
const TABS = ['verdict', 'protocol', 'history', 'derivation', 'techniques', 'walk'];
/** What the page shows unless its address says otherwise: small, and racy. */
const START = 'book/programs/two_writers.bcuda';
/** A protocol is no program: nothing of it runs. */
const OF_PROGRAMS = ['history', 'techniques', 'walk'];
const SECONDS = { check: 20, suggest: 40, type: 10, run: 20, derive: 30, compare: 60, walk: 20, explain: 5 };
const FIELDS = ['kernel', 'block', 'grid', 'params'];

const state = {
  text: '', language: 'cu', tab: 'verdict', kernel: '', block: '', grid: '', params: '', judgment: 'run', schedule: [], at: 0,
};
let examples = [];
let checked;
let asked = 0;

// The first one is asked for verdicts while the others may still be at work on longer questions.
const checks = new Engine();
const suggestions = new Engine();
const panels = new Engine();
checks.warm();

const editor = new Editor($('editor'), () => {
  state.text = editor.text;
  $('example').value = example()?.path ?? '';
  forget();
  later();
});

const example = () => examples.find(({ text, language }) => text === state.text && language === state.language);

/** A schedule is one of the program as it was. */
function forget() {
  Object.assign(state, { schedule: [], at: 0 });
  editor.mark();
}

let timer;
function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, 250);
}

async function remember() {
  const hash = await fragment(state, example());
  if (hash !== location.hash) history.replaceState(null, '', hash);
  $('shared').hidden = true;
}

/** The question about what is on the page. */
function question(ask, more = {}) {
  const { text, language, block, grid, params } = state;
  const race = chosen()?.races[0];
  const short = (extents) => extents.join(',').replace(/(,1){1,2}$/, '');
  const strings = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const fallback = race
    ? { block: short(race.launch.block), grid: short(race.launch.grid), params: strings(race.parameters) }
    : { block: '4', grid: '1', params: { '*': '4' } };
  return { ask, text, language, block, grid, params, fallback, ...more };
}

/** The kernel that panels are about: the one that is named, else the first one that is racy, else the first one. */
function chosen() {
  const kernels = checked?.document?.kernels ?? [];
  return kernels.find(({ name }) => name === state.kernel) ?? kernels.find(({ verdict: v }) => v === 'racy') ?? kernels[0];
}

const context = {
  goto: (place, text) => button(text ?? `Go to line ${place.line}`, () => editor.select(place), { class: 'small' }),
  explain: (code) => {
    const shown = el('details', { class: 'inline' }, el('summary', {}, code));
    shown.addEventListener('toggle', async () => {
      if (!shown.open || shown.children.length > 1) return;
      const answer = await panels.ask({ ask: 'explain', code }, SECONDS.explain);
      if (answer) shown.append(report(answer.text ?? answer.error.message));
    });
    return shown;
  },
  apply: (edits) => editor.edit(edits),
  fix: (fields) => {
    Object.assign(state, fields);
    for (const field of FIELDS) $(field).value = state[field];
    forget();
    refresh();
  },
  walk: async (next) => {
    const focus = document.activeElement?.id || (document.activeElement?.dataset?.thread !== undefined && document.activeElement.dataset.thread);
    if (next.extend) {
      const seed = crypto.getRandomValues(new Uint32Array(1))[0];
      const answer = await asks('walk', { schedule: next.schedule, extend: next.extend, seed });
      if (!answer) return;
      if (answer.error) return show(failure(answer.error, context));
      const none = next.extend === 'race' && answer.schedule.length === next.schedule.length;
      Object.assign(state, { schedule: answer.schedule, at: answer.schedule.length });
      await panel();
      if (none) $('walk-status').textContent = 'No race was found in 67 schedules. That is no proof: see the verdict.';
    } else {
      Object.assign(state, next);
      await panel();
    }
    // The panel is new, and the focus stays where it was.
    const again = focus && (document.getElementById(focus) ?? $('panel').querySelector(`[data-thread="${focus}"]`));
    (again && !again.disabled ? again : $('panel')).focus({ preventScroll: true });
  },
};

/** Says what goes on, if anything does. */
function working(text) {
  $('working').hidden = !text;
  $('working-text').textContent = text ?? '';
}

async function asks(ask, more) {
  const turn = ++asked;
  const slow = setTimeout(() => working('Working…'), 300);
  $('panel').setAttribute('aria-busy', 'true');
  const kernel = chosen()?.name ?? '';
  const answer = await panels.ask(question(ask, { kernel, ...more }), SECONDS[ask]);
  clearTimeout(slow);
  if (turn !== asked) return undefined;
  working();
  $('panel').removeAttribute('aria-busy');
  return answer;
}

function show(...content) {
  $('panel').replaceChildren(...content.flat().filter(Boolean));
}

/** Asks again about what is on the page. */
async function refresh() {
  remember();
  $('summary').classList.add('old');
  const begin = performance.now();
  suggestions.stop();
  const slow = setTimeout(() => working('Checking…'), 400);
  const answer = await checks.ask(question('check', { quick: true }), SECONDS.check);
  clearTimeout(slow);
  if (!answer) return;
  working();
  checked = answer;
  $('summary').classList.remove('old');
  const taken = performance.now() - begin;
  if (answer.error) {
    const { place, message } = answer.error;
    $('summary').textContent = `${place ? `line ${place.line}: ` : ''}${message}`;
    editor.diagnose(place ? [{ place, severity: 'error', message }] : []);
  } else {
    const words = answer.document.kernels.map(({ name, verdict: v }) => `${name}: ${word(v)}`);
    $('summary').textContent = `${words.join('; ') || 'no kernel'} (${Math.round(taken)} ms)`;
    diagnose(answer);
  }
  kernels();
  const shown = document.documentElement.dataset;
  shown.answered = String(Number(shown.answered ?? 0) + 1);
  shown.millis ??= String(Math.round(performance.now()));
  await Promise.all([panel(), answer.more && suggest()]);
}

function diagnose({ findings }) {
  editor.diagnose(findings.flatMap(({ level, text, code, places, sides }) => places.flatMap((place, side) => place
    ? [{ place, severity: level, message: `${code}: ${side && sides[side] ? `${sides[side]}: the other side of: ` : ''}${text}` }] : [])));
}

/** The verdict is known: contracts and suggestions take longer. */
async function suggest() {
  const of = checked;
  if (!of.document.kernels.some(({ verdict: v }) => v !== 'drf')) return;
  const said = $('summary').textContent;
  const looking = el('span', { class: 'soft' }, ' Looking for contracts and suggestions…');
  $('summary').append(looking);
  const answer = await suggestions.ask(question('check'), SECONDS.suggest);
  if (of !== checked) return;
  $('summary').textContent = said;
  // Without an answer there is the first one.
  if (!answer || answer.error) return;
  checked = answer;
  diagnose(answer);
  if (state.tab !== 'verdict') return;
  const inside = $('panel').contains(document.activeElement);
  await panel();
  if (inside) $('panel').focus({ preventScroll: true });
}

function kernels() {
  const names = [...new Set((checked?.document?.kernels ?? []).map(({ name }) => name))];
  $('kernel-field').hidden = names.length < 2;
  $('kernel').replaceChildren(...names.map((name) => el('option', { value: name }, name)));
  const name = chosen()?.name;
  if (name) $('kernel').value = name;
}

/** Shows the answer that the tab is for. */
async function panel() {
  remember();
  const { tab } = state;
  if (tab !== 'walk') editor.mark();
  if (!checked) return;
  if (checked.error && !(checked.error.stopped && tab !== 'verdict')) {
    asked++;
    panels.stop();
    working();
    return show(failure(checked.error, context));
  }
  if (tab === 'verdict') return show(verdict(checked, context));
  if (tab === 'walk') return walked();
  const ask = { protocol: 'type', history: 'run', derivation: 'derive', techniques: 'compare' }[tab];
  const answer = await asks(ask, tab === 'derivation' ? { judgment: judgment() } : {});
  if (!answer || tab !== state.tab) return undefined;
  const parts = [];
  if (tab === 'derivation') parts.push(judgments());
  if (answer.error) parts.push(failure(answer.error, context));
  if (tab === 'protocol' && answer.text) parts.push(el('h2', {}, 'The memory access protocol'), report(answer.text));
  if (tab === 'history' && answer.html) {
    parts.push(taken(answer), frame(answer.html, 'History as matrices of threads and cells', false));
    parts.push(el('details', {}, el('summary', {}, 'As text'), report(answer.text)));
  }
  if (tab === 'derivation' && answer.html) {
    parts.push(taken(answer), frame(answer.html, 'Derivation', true));
  }
  if (tab === 'techniques' && answer.kernels) parts.push(...techniques(answer));
  return show(parts);
}

const judgment = () => (state.language === 'map' ? 'map' : state.judgment);

function judgments() {
  const all = [['run', 'of the run'], ['type', 'of the type'], ['map', 'of the accesses of the protocol']];
  // A protocol has neither runs nor types.
  const offered = all.filter(([value]) => state.language !== 'map' || value === 'map');
  const select = el('select', { id: 'judgment' }, offered.map(([value, text]) => el('option', { value, selected: value === judgment() }, text)));
  select.addEventListener('change', () => {
    state.judgment = select.value;
    panel().then(() => $('judgment')?.focus());
  });
  return el('p', {}, el('label', {}, 'Derivation ', select));
}

async function walked() {
  const whole = await asks('walk', { schedule: state.schedule });
  if (!whole || state.tab !== 'walk') return undefined;
  if (whole.error) return show(failure(whole.error, context));
  // Of a schedule from elsewhere, what this program has of it.
  state.schedule = whole.schedule;
  state.at = Math.min(state.at, state.schedule.length);
  const now = state.at === state.schedule.length ? whole : await asks('walk', { schedule: state.schedule.slice(0, state.at) });
  if (!now || state.tab !== 'walk') return undefined;
  show(walk(now, whole, state, context));
  editor.mark(now.steps.at(-1)?.place, now.threads.filter(({ can_step: can }) => can).map(({ place }) => place));
  return remember();
}

const offered = () => TABS.filter((name) => state.language !== 'map' || !OF_PROGRAMS.includes(name));

function open(tab, focus) {
  if (!offered().includes(tab)) tab = 'verdict';
  state.tab = tab;
  $('not-offered').hidden = offered().length === TABS.length;
  for (const name of TABS) {
    const one = $(`tab-${name}`);
    one.setAttribute('aria-selected', String(name === tab));
    one.setAttribute('aria-controls', 'panel');
    one.tabIndex = name === tab ? 0 : -1;
    one.disabled = !offered().includes(name);
    if (name === tab && focus) one.focus();
  }
  $('panel').setAttribute('aria-labelledby', `tab-${tab}`);
}

function listen() {
  for (const name of TABS) $(`tab-${name}`).addEventListener('click', () => {
    open(name, true);
    panel();
  });
  $('tabs').addEventListener('keydown', (event) => {
    const tabs = offered();
    const at = tabs.indexOf(state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    open(tabs[(to + tabs.length) % tabs.length], true);
    panel();
  });
  $('panel').addEventListener('keydown', (event) => {
    if (state.tab !== 'walk' || event.altKey || event.ctrlKey || event.metaKey || event.target.matches('input, select')) return;
    const press = (button) => {
      if (!button || button.disabled) return;
      event.preventDefault();
      button.click();
    };
    if (event.key === 'ArrowLeft') press($('walk-back'));
    else if (event.key === 'ArrowRight') press($('walk-forward'));
    else if (/^\d$/.test(event.key)) press($('panel').querySelector(`[data-thread="${event.key}"]`));
  });
  for (const field of ['block', 'grid', 'params']) $(field).addEventListener('input', () => {
    state[field] = $(field).value;
    forget();
    later();
  });
  $('kernel').addEventListener('change', () => {
    state.kernel = $('kernel').value;
    forget();
    panel();
  });
  $('language').addEventListener('change', () => {
    state.language = editor.language = $('language').value;
    open(state.tab);
    forget();
    refresh();
  });
  $('example').addEventListener('change', () => {
    const one = examples.find(({ path }) => path === $('example').value);
    if (one) put({ text: one.text, language: one.language, tab: state.tab });
  });
  $('stop').addEventListener('click', () => {
    checks.stop();
    panels.stop();
  });
  $('skip').addEventListener('click', (event) => {
    event.preventDefault();
    $('panel').focus();
  });
  $('share').addEventListener('click', async () => {
    await remember();
    $('shared').hidden = false;
    $('link').value = location.href;
    $('link').select();
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    $('copied').textContent = copied ? 'copied' : 'select and copy it';
  });
  addEventListener('hashchange', async () => {
    const given = await read(location.hash, examples).catch(() => undefined);
    if (given) put(given);
  });
}

/** Puts a state on the page. */
function put(given) {
  const empty = { kernel: '', block: '', grid: '', params: '', judgment: 'run', schedule: [], at: 0 };
  Object.assign(state, empty, given);
  if (!TABS.includes(state.tab)) state.tab = 'verdict';
  if (!['run', 'type', 'map'].includes(state.judgment)) state.judgment = 'run';
  editor.language = state.language;
  editor.text = state.text;
  $('language').value = state.language;
  for (const field of ['block', 'grid', 'params']) $(field).value = state[field];
  $('example').value = example()?.path ?? '';
  checked = undefined;
  open(state.tab);
  return refresh();
}

async function start() {
  examples = await (await fetch('examples.json')).json();
  const groups = new Map();
  for (const one of examples) {
    if (!groups.has(one.group)) groups.set(one.group, el('optgroup', { label: one.group }));
    groups.get(one.group).append(el('option', { value: one.path }, one.name));
  }
  $('example').replaceChildren(el('option', { value: '' }, 'your own'), ...groups.values());
  listen();
  let given;
  try {
    given = await read(location.hash, examples);
  } catch {
    $('summary').textContent = 'The link cannot be read.';
  }
  const { text, language } = examples.find(({ path }) => path === START) ?? examples[0];
  await put(given ?? { text, language });
}

if ('serviceWorker' in navigator && location.protocol !== 'file:') {
  navigator.serviceWorker.register('sw.js').catch(() => {});
}
await start();

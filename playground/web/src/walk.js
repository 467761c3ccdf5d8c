// An interleaving: whoever looks chooses which thread steps, and sees memory and races change.
import { button, el, taken } from './dom.js';

const ORDERS = [
  ['race', 'Find a race'], ['turns', 'In turns'], ['first', 'One after the other'], ['last', 'Last thread first'], ['drawn', 'At random'],
];

/** `now` is the answer on the steps up to `state.at`; `whole` has all steps of the schedule. */
export function walk(now, whole, state, context) {
  const { schedule, at } = state;
  const step = (thread) => context.walk({ schedule: [...schedule.slice(0, at), thread], at: at + 1 });
  const to = (position) => context.walk({ schedule, at: Math.min(Math.max(position, 0), schedule.length) });
  const last = now.steps.at(-1);
  const bar = el('div', { class: 'bar', role: 'group', 'aria-label': 'Schedule' },
    button('Start', () => to(0), { id: 'walk-start', disabled: at === 0 }),
    button('◀ Back', () => to(at - 1), { id: 'walk-back', disabled: at === 0 }),
    button('Forward ▶', () => to(at + 1), { id: 'walk-forward', disabled: at === schedule.length }),
    ORDERS.map(([extend, name]) => button(name, () => context.walk({ schedule: schedule.slice(0, at), extend }), { id: `walk-${extend}`, disabled: Boolean(now.end) })));
  const slider = schedule.length > 0 && el('label', { class: 'slider' }, `Step ${at} of ${schedule.length} `,
    el('input', { type: 'range', min: '0', max: String(schedule.length), id: 'walk-at' }));
  if (slider) {
    const input = slider.querySelector('input');
    input.value = String(at);
    input.addEventListener('change', () => to(Number(input.value)));
  }
  const says = [];
  if (last) says.push(`Thread ${last.thread}: ${last.does}.`);
  if (last?.barrier) says.push(`All pass the barrier: phase ${now.phase} begins.`);
  if (last?.races.length) says.push(`Now there is a race: ${last.races.join('; ')}.`);
  if (now.end) says.push(`The end: ${now.end}.`);
  if (!last) says.push('Choose the thread that steps first.');
  const status = el('p', { role: 'status', id: 'walk-status', class: last?.races.length ? 'bad' : undefined }, says.join(' '));
  const threads = el('table', { id: 'walk-threads' }, el('caption', {}, 'Threads: what each does next'),
    el('tbody', {}, now.threads.map((thread, i) => el('tr', {},
      el('th', { scope: 'row' }, button(`Thread ${i}`, () => step(i), { disabled: !thread.can_step, 'aria-label': `Step thread ${i}: ${thread.does}`, 'data-thread': String(i) })),
      el('td', { class: thread.can_step ? undefined : 'soft' }, thread.does)))));
  const memory = el('table', { id: 'walk-memory' }, el('caption', {}, 'Memory'),
    el('tbody', {}, now.memory.map(({ cell, value, racy }) => el('tr', { class: racy ? 'racy' : last?.cell === cell ? 'now' : undefined },
      el('th', { scope: 'row' }, cell), el('td', {}, value ?? '⊥', racy ? el('strong', {}, ' race') : null)))));
  const items = [];
  let phase = -1;
  for (const [i, one] of whole.steps.entries()) {
    if (one.phase !== phase) {
      phase = one.phase;
      items.push(el('li', { class: 'phase' }, `phase ${phase}`));
    }
    items.push(el('li', { class: i >= at ? 'later' : undefined },
      button(`${i + 1}. thread ${one.thread}: ${one.does}`, () => to(i + 1), { class: 'plain', 'aria-current': i === at - 1 ? 'step' : undefined }),
      one.races.map((race) => el('span', { class: 'bad' }, ` race: ${race}`))));
  }
  const trace = el('section', { 'aria-label': 'Steps so far' }, el('h2', {}, 'Steps'), items.length ? el('ol', { class: 'trace' }, items) : el('p', { class: 'soft' }, 'none yet'));
  const races = now.races.length > 0 && el('section', { 'aria-label': 'Races so far' }, el('h2', { class: 'bad' }, `Races: ${now.races.length}`),
    el('ul', { id: 'walk-races' }, now.races.slice(0, 20).map((race) => el('li', {}, race))));
  return [
    el('p', { class: 'soft' }, `${now.launch}, phase ${now.phase}. In this panel the keys ← and → go back and forth, and a digit steps that thread.`),
    taken(now), bar, slider, status,
    el('div', { class: 'sides' }, el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Threads' }, threads), el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Memory' }, memory)),
    races, trace,
  ].filter(Boolean);
}

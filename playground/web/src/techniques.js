// All techniques side by side, beside what is true. On a phone each row is a card: its roles keep it a row.
import { el, report, taken } from './dom.js';
import { word } from './verdict.js';

function evidence(answer) {
  const race = answer.races[0];
  const parts = [];
  if (answer.reason) parts.push(answer.reason);
  if (race) {
    const sides = race.sides.map((side) => `thread ${side.thread} ${side.mode}${side.line ? ` in line ${side.line}` : ''}`);
    const more = answer.races.length > 1 ? `, and ${answer.races.length - 1} more` : '';
    const replayed = race.replayed === false ? ' (no run has it)' : race.replayed ? ' (a run has it)' : '';
    parts.push(`${race.cell}: ${sides.join(' / ')}${replayed}${more}`);
  }
  if (answer.assumptions.length) parts.push(`assuming ${answer.assumptions.join(', ')}`);
  return parts.join('; ');
}

function row(name, answer, truth) {
  const against = answer.contradicts ? `${answer.contradicts}${answer.refutes_a_claim ? ', against its claim' : ', which it does not claim'}` : '';
  const verdict = answer.verdict === 'refused' ? 'refused' : word(answer.verdict);
  return el('tr', { role: 'row', class: truth ? 'truth' : undefined },
    el('th', { scope: 'row', role: 'rowheader' }, name),
    el('td', { role: 'cell' }, el('span', { class: `badge ${answer.verdict}` }, verdict)),
    el('td', { role: 'cell', class: 'evidence' }, against && el('strong', { class: 'bad' }, `${against}. `), evidence(answer)),
    el('td', { role: 'cell', class: 'number' }, `${(answer.seconds * 1000).toFixed(1)} ms`));
}

/** What they read in place of a program. */
function emitted(answer) {
  if (!answer.emitted) return [];
  const lines = answer.emitted.trimEnd().split('\n');
  const numbered = lines.map((line, number) => `${String(number + 1).padStart(3)}  ${line}`).join('\n');
  return [
    el('p', {}, 'Techniques read kernels of CUDA C. Here they read what ', el('code', {}, 'babycuda emit'),
      ' prints of this program: lines are lines of that text, its first ones say in what it differs, and a cell that nobody wrote has some value in it.'),
    taken(answer),
    ...answer.notes.map((note) => el('p', { class: 'soft' }, note)),
    el('details', { id: 'emitted' }, el('summary', {}, 'The program as CUDA C'), report(numbered)),
  ];
}

export function techniques(answer) {
  const kernels = answer.kernels.map((kernel) => el('article', {},
    el('h2', {}, el('code', {}, kernel.name), `, ${answer.launch}`),
    kernel.open.length ? el('p', {}, `What runs the kernel needs values of ${kernel.open.join(', ')}: see the field Parameters.`) : null,
    el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `Techniques on ${kernel.name}` }, el('table', { role: 'table', class: 'cards' },
      el('caption', {}, `What is true is said by: ${kernel.truth.technique}.`),
      el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ['Technique', 'Verdict', 'Evidence', 'Time'].map((name) => el('th', { scope: 'col', role: 'columnheader' }, name)))),
      el('tbody', { role: 'rowgroup' }, row('truth', kernel.truth, true), kernel.answers.map((one) => row(one.technique, one)))))));
  return [...emitted(answer), ...kernels, el('details', {}, el('summary', {}, 'As text'), report(answer.text))];
}

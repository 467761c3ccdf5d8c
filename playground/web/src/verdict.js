// The verdict: how each kernel is judged, what was found, and the report as the program prints it.
import { button, el, report } from './dom.js';

const WORDS = {
  drf: ['✓', 'race-free'], racy: ['✗', 'racy'], divergent: ['✗', 'barrier divergence'], unknown: ['?', 'unknown'],
};

export const word = (verdict) => (WORDS[verdict] ?? ['?', verdict])[1];

export function verdict(answer, context) {
  const kernels = answer.document.kernels.map((kernel) => {
    const [sign, name] = WORDS[kernel.verdict] ?? ['?', kernel.verdict];
    const heading = el('h2', {},
      el('span', { class: `badge ${kernel.verdict}` }, el('span', { 'aria-hidden': 'true' }, `${sign} `), name),
      ' ', el('code', {}, kernel.name));
    const said = [];
    if (kernel.reason) said.push(kernel.reason);
    if (kernel.benign_only) said.push('All of its races are benign: all conflicting writes store the same value.');
    const races = kernel.races.map((race, number) => {
      const fixed = [
        ['block', race.launch.block], ['grid', race.launch.grid],
      ].map(([field, extents]) => [field, extents.join(',').replace(/(,1){1,2}$/, '')]);
      const params = Object.entries(race.parameters).map(([name, value]) => `${name}=${value}`).join(' ');
      const shown = fixed.map(([field, value]) => `${field} ${value}`).concat(params || []).join(', ');
      return button(`Use ${shown}`, () => context.fix({ ...Object.fromEntries(fixed), params, kernel: kernel.name }),
        { class: 'small', 'aria-label': `Use ${shown}: the launch of race ${number + 1}` });
    });
    const findings = answer.findings.filter((finding) => finding.kernel === kernel.name).map((finding, number) => {
      const places = finding.places.map((place, side) => place
        && context.goto(place, finding.sides[side] ? `line ${place.line}: ${finding.sides[side]}` : undefined));
      return el('li', {},
        el('p', {}, finding.text),
        el('p', { class: 'buttons' }, places, finding.word === 'race' ? races[number] : null,
          context.explain(finding.code)));
    });
    const fix = kernel.fix && el('p', {}, button(`Apply: ${kernel.fix.title}`, () => context.apply(kernel.fix.edits)), ' Checked: the kernel is race-free then.');
    return el('article', {}, heading, said.map((text) => el('p', {}, text)), findings.length ? el('ol', { class: 'findings' }, findings) : null, fix);
  });
  if (!kernels.length) kernels.push(el('p', {}, 'The file has no kernel.'));
  return [...kernels, el('details', { open: true }, el('summary', {}, 'The report'), report(answer.text))];
}

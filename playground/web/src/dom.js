// Elements, made of text: nothing that a program says becomes markup.

export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key === 'onclick') element.addEventListener('click', value);
    else if (value === true) element.setAttribute(key, '');
    else element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

export const button = (text, onclick, attributes = {}) => el('button', { type: 'button', onclick, ...attributes }, text);

/** A page of the library as a frame. It cannot reach this page; with `scripts`, its own run. */
export function frame(html, title, scripts) {
  // A page without scripts may be measured.
  const sandbox = scripts ? 'allow-scripts' : 'allow-same-origin';
  const element = el('iframe', { title, sandbox, class: scripts ? 'page tall' : 'page' });
  element.srcdoc = html;
  if (!scripts) {
    element.addEventListener('load', () => {
      const root = element.contentDocument?.documentElement;
      if (root) element.style.height = `${Math.min(Math.max(root.scrollHeight + 4, 80), 4000)}px`;
    });
  }
  return element;
}

export const report = (text) => el('pre', { class: 'report', tabindex: '0' }, text);

/** What was taken for what is open. */
export function taken(answer) {
  if (!answer.taken?.length) return null;
  return el('p', { class: 'soft' }, `Taken for what is open: ${answer.taken.join(', ')}. The fields above fix others.`);
}

/** Why there is no answer. */
export function failure(error, context) {
  const parts = [el('p', { class: 'bad', role: 'alert' }, error.message)];
  if (error.help) parts.push(el('p', {}, `Help: ${error.help}`));
  if (error.place) parts.push(el('p', {}, context.goto(error.place)));
  return el('div', { class: 'failure' }, parts);
}

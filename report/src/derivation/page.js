'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const steps = [];
  for (const element of all('[data-step]')) steps[Number(element.dataset.step)] = element;
  const place = document.getElementById('place');
  let at = -1;
  const card = (element) => element.matches('.fold') ? element.nextElementSibling
    : element.closest('.node')?.querySelector(':scope > .card');
  const show = () => {
    for (const shown of all('.card.show')) shown.classList.remove('show');
    document.body.classList.toggle('stepping', at >= 0);
    steps.forEach((element, step) => {
      element.classList.toggle('now', step === at);
      element.classList.toggle('later', at >= 0 && step > at);
    });
    place.value = at < 0 ? `${steps.length} steps` : `step ${at + 1} of ${steps.length}`;
    if (at < 0) return;
    let parent = steps[at].closest('.premises');
    for (; parent; parent = parent.parentElement.closest('.premises')) {
      parent.parentElement.querySelector(':scope > .fold').open = true;
    }
    card(steps[at])?.classList.add('show');
    steps[at].scrollIntoView({ block: 'center', inline: 'nearest' });
  };
  const go = (to) => { at = Math.max(-1, Math.min(steps.length - 1, to)); show(); };
  const act = {
    start: () => go(-1), back: () => go(at - 1), next: () => go(at + 1),
    fold: () => { for (const fold of all('.fold')) fold.open = false; },
    unfold: () => { for (const fold of all('.fold')) fold.open = true; },
    layout: (button) => {
      const rules = document.body.classList.toggle('rules');
      button.setAttribute('aria-pressed', String(!rules));
    },
  };
  for (const button of all('nav button')) {
    button.addEventListener('click', () => act[button.dataset.act](button));
  }
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches('input')) return;
    if (event.key === 'ArrowRight' || event.key === 'n') go(at + 1);
    else if (event.key === 'ArrowLeft' || event.key === 'p') go(at - 1);
    else if (event.key === 'Escape') go(-1);
    else return;
    event.preventDefault();
  });
  const tables = JSON.parse(document.getElementById('tables').textContent);
  for (const input of all('.every input')) {
    const section = input.closest('section');
    const threads = input.dataset.threads.split(' ');
    const vary = all('var', section);
    for (const element of vary) element.dataset.text = element.textContent;
    input.addEventListener('input', () => {
      const n = Number(input.value);
      input.nextElementSibling.value = n < 0 ? 'every i' : `i = ${threads[n]}`;
      for (const element of vary) {
        const table = tables[Number(element.dataset.t)];
        element.textContent = n < 0 ? element.dataset.text : table[n] ?? element.dataset.text;
      }
    });
  }
  const follow = () => {
    const section = document.getElementById(location.hash.slice(1));
    const fold = section?.querySelector('.fold');
    if (fold) { fold.open = true; fold.querySelector('summary').focus({ preventScroll: true }); }
  };
  addEventListener('hashchange', follow);
  show();
})();

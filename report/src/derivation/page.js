'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const steps = [];
  for (const element of all('[data-step]')) steps[Number(element.dataset.step)] = element;
  const place = document.getElementById('place');
  let at = -1;
  const card = (element) => element.matches('.fold') ? element.nextElementSibling
    : element.closest('.node')?.querySelector(':scope > .card');
  const pin = (wanted) => {
    for (const shown of all('.card.show')) if (shown !== wanted) shown.classList.remove('show');
    wanted?.classList.add('show');
  };
  // A panel stays until another rule is pointed at for a while, so that the pointer can go to it.
  let wish;
  const point = (event) => {
    clearTimeout(wish);
    const fold = event.target.closest('.fold');
    if (!fold || at >= 0 || event.target.closest('.card')) return;
    const wanted = fold.nextElementSibling;
    const wait = event.type === 'focusin' || !document.querySelector('.card.show') ? 0 : 200;
    wish = setTimeout(pin, wait, wanted);
  };
  document.body.classList.add('live');
  document.addEventListener('pointerover', point);
  document.addEventListener('focusin', point);
  document.addEventListener('click', (event) => {
    if (at < 0 && !event.target.closest('.fold, .card, nav, a')) pin(null);
  });
  const show = () => {
    clearTimeout(wish);
    pin(null);
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
    pin(card(steps[at]));
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
    const every = input.nextElementSibling.value;
    const vary = all('var', section);
    for (const element of vary) element.dataset.text = element.textContent;
    input.addEventListener('input', () => {
      const n = Number(input.value);
      input.nextElementSibling.value = n < 0 ? every : every.replace(/^every /, '') + ` = ${threads[n]}`;
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

// What is on the page, as the fragment of its address: `example=PATH` for an example as it stands, else `code=` and the
// text, compressed. Links that people write may have `text=` and the text.

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

export async function packed(text) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpacked(code) {
  const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(await through(new DecompressionStream('deflate-raw'), bytes));
}

const FIELDS = ['tab', 'kernel', 'block', 'grid', 'params', 'judgment', 'schedule', 'at'];

/** The fragment of a state; `example` is the one that its text is, if it is one. */
export async function fragment(state, example) {
  const parts = example
    ? [`example=${encodeURIComponent(example.path).replaceAll('%2F', '/')}`]
    : [`language=${state.language}`, `code=${await packed(state.text)}`];
  for (const field of FIELDS) {
    const value = field === 'schedule' ? state.schedule.join('.') : String(state[field] ?? '');
    const usual = field === 'tab' ? 'verdict' : field === 'judgment' ? 'run' : field === 'at' ? String(state.schedule.length) : '';
    if (value !== usual) parts.push(`${field}=${encodeURIComponent(value)}`);
  }
  return `#${parts.join('&')}`;
}

/** The state that a fragment stands for; `undefined`: it is none. */
export async function read(hash, examples) {
  const given = new URLSearchParams(hash.replace(/^#/, '').replaceAll('+', '%2B'));
  const state = {};
  const example = examples.find(({ path }) => path === given.get('example'));
  if (example) {
    Object.assign(state, { text: example.text, language: example.language });
  } else if (given.has('code') || given.has('text')) {
    const language = given.get('language');
    state.language = ['bcuda', 'map', 'cu'].includes(language) ? language : 'cu';
    state.text = given.has('code') ? await unpacked(given.get('code')) : given.get('text');
  } else {
    return undefined;
  }
  for (const field of FIELDS) state[field] = given.get(field) ?? '';
  state.schedule = state.schedule.split('.').filter((i) => /^\d{1,4}$/.test(i)).map(Number).slice(0, 5000);
  const at = Number.parseInt(state.at, 10);
  state.at = Number.isInteger(at) ? Math.min(Math.max(at, 0), state.schedule.length) : state.schedule.length;
  return state;
}

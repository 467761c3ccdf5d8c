// Puts the page together: node build.js FOLDER_OF_THE_MODULE FOLDER_OF_THE_PAGE. It says how large it is, compressed.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const [module, page] = process.argv.slice(2).map((path) => resolve(path));

/** All of the page, compressed, may have so many bytes. */
const MOST = 3_000_000;

/** The programs of the book and of the papers, as they are now. */
async function examples() {
  const all = [];
  for (const [folder, group] of [['book/programs', 'The book'], ['examples/paper', 'Programs of the papers']]) {
    for (const file of (await readdir(join(root, folder))).sort()) {
      const language = file.split('.').at(-1);
      if (!['bcuda', 'cu', 'map'].includes(language)) continue;
      const text = await readFile(join(root, folder, file), 'utf8');
      all.push({ path: `${folder}/${file}`, name: file, group, language, text });
    }
  }
  return all;
}

await rm(page, { recursive: true, force: true });
await mkdir(page, { recursive: true });
for (const file of ['style.css', 'icon.svg']) await cp(join(here, file), join(page, file));
// Pages of derivations have one script. A frame may run what this page may run: its own scripts, and that one.
const script = await readFile(join(root, 'report/src/derivation/page.js'), 'utf8');
const known = createHash('sha256').update(`\n${script}`).digest('base64');
const index = await readFile(join(here, 'index.html'), 'utf8');
await writeFile(join(page, 'index.html'), index.replace('SCRIPT-OF-DERIVATIONS', `sha256-${known}`));
await cp(join(module, 'babycuda_bg.wasm'), join(page, 'babycuda_bg.wasm'));
await writeFile(join(page, 'examples.json'), JSON.stringify(await examples()));
const usual = {
  bundle: true, minify: true, format: 'esm', target: 'es2022', legalComments: 'none', logLevel: 'warning',
  alias: { bindgen: join(module, 'babycuda.js') },
};
for (const file of ['main.js', 'worker.js']) {
  await build({ ...usual, entryPoints: [join(here, 'src', file)], outfile: join(page, file) });
}
const files = (await readdir(page)).sort();
const hash = createHash('sha256');
for (const file of files) hash.update(file).update(await readFile(join(page, file)));
await build({
  ...usual, format: 'iife', entryPoints: [join(here, 'src/sw.js')], outfile: join(page, 'sw.js'),
  define: { VERSION: JSON.stringify(hash.digest('hex').slice(0, 16)), FILES: JSON.stringify(['./', ...files]) },
});

let [gzip, brotli] = [0, 0];
for (const file of (await readdir(page)).sort()) {
  const bytes = await readFile(join(page, file));
  const sizes = [gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  console.log(`${file}: ${bytes.length} bytes, ${sizes[0]} by gzip, ${sizes[1]} by brotli`);
  gzip += sizes[0];
  brotli += sizes[1];
}
console.log(`the page: ${gzip} bytes by gzip, ${brotli} by brotli; at most ${MOST} are allowed`);
if (gzip > MOST) {
  console.error('the page is too large');
  process.exit(1);
}

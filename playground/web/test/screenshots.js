// Pictures of the page, to be looked at: node test/screenshots.js FOLDER_OF_THE_PAGE FOLDER_OF_PICTURES
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { browser, serve } from './browser.js';

const [page, pictures] = process.argv.slice(2);
const VIEWS = [
  ['verdict', '#example=book/programs/shift.cu'],
  ['protocol', '#example=book/programs/exchange.bcuda&tab=protocol'],
  ['history', '#example=book/programs/two_writers.bcuda&tab=history'],
  ['derivation', '#example=book/programs/two_writers.bcuda&tab=derivation'],
  ['techniques', '#example=book/programs/shift.cu&tab=techniques'],
  ['walk', '#example=book/programs/two_writers.bcuda&tab=walk&schedule=0.1.0'],
];

await mkdir(pictures, { recursive: true });
const server = await serve(page);
for (const [width, height] of [[1280, 800], [390, 844]]) {
  for (const colorScheme of ['light', 'dark']) {
    const { context, close } = await browser({ viewport: { width, height }, colorScheme });
    for (const [name, hash] of VIEWS) {
      const tab = await context.newPage();
      tab.on('console', (message) => console.log(name, message.text()));
      tab.on('pageerror', (error) => console.log(name, String(error)));
      await tab.goto(server.address + hash);
      await tab.waitForSelector('html[data-answered]');
      await tab.waitForFunction(() => document.querySelector('#panel').children.length && !document.querySelector('#panel[aria-busy]'));
      await tab.waitForTimeout(400);
      await tab.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: width < 800 });
      await tab.close();
    }
    await close();
  }
}
await server.close();

// Runs the library beside the page, so that the page goes on while it works, and can stop it.
import init, { answer, last_panic } from 'bindgen';

let ready;
// A panic ends the program: whoever asks again needs a new worker.
let ended = false;

addEventListener('message', async ({ data }) => {
  if (data.module) {
    ready = init({ module_or_path: data.module });
    return;
  }
  const { id, question } = data;
  try {
    await ready;
    postMessage({ id, answer: JSON.parse(answer(question)) });
  } catch (error) {
    let panic = '';
    try {
      panic = ended ? '' : last_panic();
    } catch {
      // Its memory is gone, too.
    }
    ended = true;
    const deep = error instanceof RangeError || /call stack/i.test(String(error));
    const message = panic || (deep ? 'the program is nested too deeply for a web page' : String(error));
    postMessage({ id, ended: true, answer: { error: { message: `babycuda failed: ${message}`, failed: true } } });
  }
});

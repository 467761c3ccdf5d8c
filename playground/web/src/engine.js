// Questions to the library, each of which ends: with an answer, with the time that it has, or when nobody waits for it
// any more.

let compiled;

async function load() {
  const address = new URL('babycuda_bg.wasm', import.meta.url);
  try {
    return await WebAssembly.compileStreaming(fetch(address));
  } catch {
    // A server may not know the type of the file.
    return WebAssembly.compile(await (await fetch(address)).arrayBuffer());
  }
}

/** The compiled library, once for all workers. */
function library() {
  compiled ??= load();
  return compiled;
}

/** One worker, which answers one question after the other: a new one takes the place of that before. */
export class Engine {
  #worker;
  #waiting;
  #count = 0;

  #start() {
    const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    library().then(
      (module) => worker.postMessage({ module }),
      (error) => this.#settle({ error: { message: `babycuda cannot be loaded: ${error.message}`, failed: true } }),
    );
    worker.addEventListener('message', ({ data }) => {
      if (worker !== this.#worker || data.id !== this.#count) return;
      if (data.ended) this.#restart();
      this.#settle(data.answer);
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#settle({ error: { message: event.message, failed: true } });
    });
    this.#worker = worker;
  }

  #restart() {
    this.#worker.terminate();
    this.#start();
  }

  #settle(answer) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    clearTimeout(waiting?.timer);
    waiting?.resolve(answer);
  }

  /** Loads the library before anything is asked. */
  warm() {
    if (!this.#worker) this.#start();
  }

  /** Ends the question that is being answered; its answer says so. */
  stop(why = 'stopped') {
    if (!this.#waiting) return;
    this.#restart();
    this.#settle({ error: { message: why, stopped: true } });
  }

  /** The answer. `undefined`: there was another question before it came. */
  async ask(question, seconds) {
    if (this.#waiting) {
      this.#restart();
      this.#settle(undefined);
    }
    this.warm();
    await library().catch(() => {});
    const id = ++this.#count;
    return new Promise((resolve) => {
      if (this.#waiting) this.#settle(undefined);
      // What a budget cannot end ends here.
      const late = `stopped after ${seconds} s: more than a page waits for; the program babycuda has more time`;
      const timer = setTimeout(() => this.stop(late), seconds * 1000);
      this.#waiting = { resolve, timer };
      this.#worker.postMessage({ id, question: JSON.stringify({ ...question, seconds: seconds * 0.8 }) });
    });
  }
}

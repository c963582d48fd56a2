// Questions to the program. A question that takes long tells how far it is, and can be given up.
export class Refusal extends Error {
  constructor({message, field, at, code}) {
    super(message);
    this.field = field;
    this.at = at;  // the place in a description: compose[1].scale
    this.code = code;
  }
}

async function reply(response) {
  if (!response.ok) throw new Refusal({message: (await response.text()).trim() || `the server answered ${response.status}`, code: 1});
  return response.json();
}

// What the server works on for this tab, and whether it writes something that was paid for.
const running = new Map();
const give_up = (number, options) => { fetch(`api/runs/${number}`, {method: 'DELETE', ...options}).catch(() => {}); };
const writes = (question) => /^(release|report|ledger)/.test(question.job ?? '') && !question.fields?.explain;

// Work of a page that is left is given up; a release goes on.
export function leavePage() {
  for (const [control, work] of running) if (!work.writes) control.abort();
}
addEventListener('pagehide', () => { for (const {number} of running.values()) if (number !== null) give_up(number, {keepalive: true}); });
addEventListener('beforeunload', (event) => { if ([...running.values()].some((each) => each.writes && each.number !== null)) event.preventDefault(); });

export async function ask(question, {onProgress, signal} = {}) {
  const control = new AbortController(), work = {number: null, writes: writes(question)};
  const abort = () => control.abort();
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  running.set(control, work);
  try {
    let answer = await reply(await fetch('api/ask', {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(question), signal: control.signal}));
    while (answer.running !== undefined) {
      work.number = answer.running;
      if (onProgress) onProgress(answer);
      answer = await reply(await fetch(`api/runs/${work.number}`, {signal: control.signal}));
    }
    if (answer.error) throw new Refusal(answer.error);
    return answer;
  } catch (error) {
    if (error.name === 'AbortError' && work.number !== null) give_up(work.number);
    if (error instanceof TypeError) throw new Refusal({message: 'The server does not answer. Is modicum serve still running?', code: 1});
    throw error;
  } finally {
    running.delete(control);
    signal?.removeEventListener('abort', abort);
  }
}

export const run = (job, fields, options) => ask({ask: 'run', job, fields}, options);

// Of questions that follow each other quickly only the newest counts: one is on its way, and the
// newest of the others waits; `hurry` is called when it does.
export function newest(action, hurry = () => {}) {
  let busy = false, waiting = null;
  return async function next(...given) {
    if (busy) { waiting = given; hurry(); return; }
    busy = true;
    try { await action(...given); } finally {
      busy = false;
      if (waiting) { const again = waiting; waiting = null; next(...again); }
    }
  };
}

let known = null;
export const forms = () => (known ??= ask({ask: 'forms'}).catch((error) => { known = null; throw error; }));

// Questions to the program. A question that takes long tells how far it is, and can be given up.
export class Refusal extends Error {
  constructor({message, field, code}) {
    super(message);
    this.field = field;
    this.code = code;
  }
}

async function reply(response) {
  if (!response.ok) throw new Refusal({message: (await response.text()).trim() || `the server answered ${response.status}`, code: 1});
  return response.json();
}

export async function ask(question, {onProgress, signal} = {}) {
  let number = null;
  const give_up = () => { if (number !== null) fetch(`api/runs/${number}`, {method: 'DELETE'}); };
  try {
    let answer = await reply(await fetch('api/ask', {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(question), signal}));
    while (answer.running !== undefined) {
      number = answer.running;
      if (onProgress) onProgress(answer);
      answer = await reply(await fetch(`api/runs/${number}`, {signal}));
    }
    if (answer.error) throw new Refusal(answer.error);
    return answer;
  } catch (error) {
    if (error.name === 'AbortError') give_up();
    throw error;
  }
}

export const run = (job, fields, options) => ask({ask: 'run', job, fields}, options);

// Of questions that follow each other quickly only the newest counts: one is on its way, and the
// newest of the others waits.
export function newest(action) {
  let busy = false, waiting = null;
  return async function next(...given) {
    if (busy) { waiting = given; return; }
    busy = true;
    try { await action(...given); } finally {
      busy = false;
      if (waiting) { const again = waiting; waiting = null; next(...again); }
    }
  };
}

let known = null;
export const forms = () => (known ??= ask({ask: 'forms'}));

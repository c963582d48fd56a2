// A piece of work that may take long: a line that tells how far it is, and a button that ends it.
// What is shown from before fades while it goes on, and is gone when it fails.
import {el} from './dom.js';

export function progressPlace(results = []) {
  const words = el('span', {class: 'busy', role: 'status'});
  const bar = el('progress', {hidden: true, 'aria-label': 'Progress'});
  const stop = el('button', {class: 'small', type: 'button', hidden: true}, 'Cancel');
  const problem = el('p', {class: 'error problem', role: 'alert'});
  const line = el('div', {class: 'working', hidden: true}, words, bar, stop);
  const element = el('div', {class: 'place'}, line, problem);
  const fade = (faded) => results.forEach((each) => { each.classList.toggle('stale', faded); each.setAttribute('aria-busy', faded); });
  const busy = new Set();
  let interrupted = false;
  const quiet = () => { words.textContent = ''; line.hidden = true; bar.hidden = true; stop.hidden = true; fade(false); };
  return {
    element,
    tell: (message) => { problem.textContent = message; },
    // Gives up what takes long, since something newer waits.
    interrupt: () => { if (!line.hidden) { interrupted = true; busy.forEach((each) => each.abort()); } },
    // Runs `action({signal, onProgress})`; what it throws is told here unless `explain` does it.
    async around(action, explain = () => false) {
      const control = new AbortController();
      busy.add(control);
      stop.onclick = () => busy.forEach((each) => each.abort());
      problem.textContent = '';
      const onProgress = ({what, done, total}) => {
        words.textContent = `${what || 'working'} … ${total > 0 ? `${Math.floor(100 * done / total)} %` : ''}`;
        line.hidden = false;
        stop.hidden = false;
        bar.hidden = !(total > 0);
        if (total > 0) { bar.max = total; bar.value = done; }
        fade(true);
      };
      try {
        return await action({signal: control.signal, onProgress});
      } catch (error) {
        if (error.name === 'AbortError' && interrupted) return null;
        results.forEach((each) => each.replaceChildren());
        if (error.name === 'AbortError') problem.textContent = 'Cancelled. What a ledger was charged for it stays spent.';
        else if (!explain(error)) problem.textContent = error.message;
        return null;
      } finally {
        busy.delete(control);
        if (!busy.size) { interrupted = false; quiet(); }
      }
    },
  };
}

// A piece of work that may take long: a line that tells how far it is, and a button that ends it.
import {el} from './dom.js';

export function progressPlace() {
  const words = el('span', {class: 'busy', role: 'status'});
  const bar = el('progress', {hidden: true, 'aria-label': 'Progress'});
  const stop = el('button', {class: 'small', type: 'button', hidden: true}, 'Cancel');
  const problem = el('p', {class: 'error', role: 'alert'});
  const element = el('div', {}, words, bar, stop, problem);
  const quiet = () => { words.textContent = ''; bar.hidden = true; stop.hidden = true; };
  return {
    element,
    // Runs `action({signal, onProgress})`; what it throws is told here unless `explain` does it.
    async around(action, explain = () => false) {
      const control = new AbortController();
      stop.onclick = () => control.abort();
      problem.textContent = '';
      const onProgress = ({what, done, total}) => {
        words.textContent = `${what || 'working'} … `;
        stop.hidden = false;
        bar.hidden = !(total > 0);
        if (total > 0) { bar.max = total; bar.value = done; }
      };
      try {
        return await action({signal: control.signal, onProgress});
      } catch (error) {
        if (error.name === 'AbortError') problem.textContent = 'Cancelled. What a ledger was charged for it stays spent.';
        else if (!explain(error)) problem.textContent = error.message;
        return null;
      } finally { quiet(); }
    },
  };
}

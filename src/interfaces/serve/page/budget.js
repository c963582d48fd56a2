// What a release may cost: a target, alone or charged to a ledger, which can be made here.
import {el} from './dom.js';
import {run} from './ask.js';
import {explainAt, field, spot} from './form.js';
import {fileChoice, inFolder} from './files.js';
import {progressPlace} from './work.js';

const fresh = '+';

export function budgetFields(jobs, ledgers, {state, folder, changed}) {
  const epsilon = field({name: 'epsilon', kind: 'number', help: 'privacy loss bound; 1 is common, less is stricter'}, {value: state.epsilon ?? 1, onchange: changed});
  const delta = field({name: 'delta', kind: 'number', help: 'probability that it may fail'}, {value: state.delta ?? 1e-6, onchange: changed});
  const store = fileChoice(ledgers, {label: 'Ledger', value: state.ledger, empty: 'no ledger: this release alone', onchange: () => { arrange(); changed(); }});
  store.append(el('option', {value: fresh}, 'a new ledger …'));
  const storeSpot = spot('ledger', {label: 'Charge it to a ledger', help: 'it adds up what all releases give away together, and refuses what is too much'}, store);
  const name = field({name: 'budget', kind: 'text', help: 'which budget of it; may be left out if there is only one'}, {label: 'Budget', onchange: changed});

  // A new one.
  const file = field({name: 'file', kind: 'text', help: 'beside the table'}, {label: 'File of the ledger', value: 'study.db'});
  const total = field({name: 'epsilon', kind: 'number', help: 'for all releases together'}, {label: 'Total epsilon', value: 3});
  const totalDelta = field({name: 'delta', kind: 'number', help: 'the same'}, {label: 'Total delta', value: 1e-5});
  const place = progressPlace();
  const create = el('button', {type: 'button', id: 'create-ledger', onclick: async () => {
    const own = [file, total, totalDelta], ledger = inFolder(folder(), file.get() ?? '');
    if (!folder()) { file.show('choose a table first: the ledger goes beside it'); return; }
    const reply = await place.around((options) => run('ledger create', {ledger, budget: 'study', epsilon: total.get(), delta: totalDelta.get()}, options),
      (error) => explainAt(own, {...error, message: error.message, field: ['ledger', 'budget'].includes(error.field) || !error.field ? 'file' : error.field}));
    if (!reply) return;
    own.forEach((each) => each.show(null));
    store.insertBefore(el('option', {value: ledger}, file.get()), store.lastChild);
    store.value = ledger;
    arrange();
    changed();
    store.focus();
  }}, 'Create the ledger');
  const newLedger = el('div', {class: 'inset', hidden: true}, file.element, el('div', {class: 'row'}, total.element, totalDelta.element), create, place.element);
  function arrange() {
    newLedger.hidden = store.value !== fresh;
    name.element.hidden = !store.value || store.value === fresh;
  }
  arrange();
  return {
    element: el('div', {}, el('div', {class: 'row'}, epsilon.element, delta.element), storeSpot.element, newLedger, name.element),
    places: [epsilon, delta, storeSpot, name],
    values: () => ({epsilon: epsilon.get(), delta: delta.get(),
      ...(store.value && store.value !== fresh ? {ledger: store.value, budget: name.get()} : {})}),
  };
}

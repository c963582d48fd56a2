// Ledger: what is spent, on what, and what is left.
import {downward, el, short, table, upward} from './dom.js';
import {forms, run} from './ask.js';
import {form} from './form.js';
import {fileChoice, filesThat, isLedger, isTable} from './files.js';
import {progressPlace} from './work.js';

const shownFirst = ['budget', 'epsilon', 'delta', 'unit', 'population'];

export async function ledgerPage(state, keep) {
  const [{jobs}, ledgers, tables] = await Promise.all([forms(), filesThat(isLedger), filesThat(isTable)]);
  const place = progressPlace(), out = el('div', {'aria-live': 'polite'});
  const store = fileChoice(ledgers, {label: 'Ledger', value: state.ledger, onchange: () => { keep({ledger: store.value}); show(); }});

  async function show() {
    out.replaceChildren();
    const ledger = store.value;
    if (!ledger) return;
    const status = await place.around((options) => run('ledger status', {ledger}, options));
    if (!status) return;
    const cards = [el('div', {class: 'card'}, el('h3', {}, 'What is left'), el('pre', {tabindex: 0}, status.words))];
    for (const budget of status.answer.budgets) {
      const list = await place.around((options) => run('ledger list', {ledger, budget: budget.name}, options));
      const picture = await place.around((options) => run('plot ledger', {ledger, budget: budget.name, output: '-'}, options), () => true);
      cards.push(el('div', {class: 'card'}, el('h3', {}, `Budget ${budget.name}: (${short(budget.epsilon)}, ${short(budget.delta)})`), meter(budget),
        picture?.picture ? el('img', {class: 'picture', alt: `What is spent of ${budget.name} over time`, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.picture)}`}) : null,
        list ? entries(list.answer) : null));
    }
    const verify = el('button', {type: 'button', id: 'verify', onclick: async () => {
      const reply = await place.around((options) => run('ledger verify', {ledger}, options));
      if (reply) verdict.textContent = reply.words;
    }}, 'Check the chain');
    const verdict = el('pre', {id: 'chain', 'aria-live': 'polite'});
    cards.push(el('div', {class: 'card'}, el('h3', {}, 'Nothing was changed afterwards?'), verify, verdict));
    out.replaceChildren(...cards);
  }
  function meter(budget) {
    const rows = ['mu_squared', 'slack', 'pure'].filter((clock) => budget[clock]?.total > 0).map((clock) => {
      const {total, spent} = budget[clock];
      return [clock === 'mu_squared' ? 'Gaussian (mu squared)' : clock, upward(spent), downward(total), el('progress', {max: 1, value: Math.min(1, spent / total), 'aria-label': `${clock}: ${short(100 * spent / total, 3)} % spent`})];
    });
    return table(['clock', 'spent', 'of', ''], rows, [1, 2]);
  }
  function entries(answer) {
    const list = answer.entries ?? [];
    if (!list.length) return el('p', {class: 'help'}, 'Nothing is charged yet.');
    return table(['when', 'who', 'what', 'mu squared', 'state'], list.slice(-200).map((each) => [(each.time ?? '').replace('T', ' ').replace('Z', ''), each.who ?? '',
      el('details', {}, el('summary', {}, each.description ?? `entry ${each.entry}`), el('pre', {tabindex: 0}, JSON.stringify(each, null, 1))), upward(each.price?.mu_squared), each.state ?? ''], ), [3]);
  }

  // A new one.
  const folder = (ledgers[0] ?? tables[0])?.folder ?? '';
  const name = el('input', {'aria-label': 'File', value: 'study.db'});
  const all = jobs['ledger create'].fields.filter((each) => each.name !== 'ledger');
  const main = form(all.filter((each) => shownFirst.includes(each.name)), {values: {budget: 'study', epsilon: 3, delta: 1e-6}});
  const rest = form(all.filter((each) => !shownFirst.includes(each.name)));
  const create = el('button', {type: 'button', class: 'main', onclick: async () => {
    const ledger = `${folder}/${name.value.trim()}`;
    const reply = await place.around((options) => run('ledger create', {ledger, ...main.values(), ...rest.values()}, options), (error) => main.explain(error) || rest.explain(error));
    if (!reply) return;
    main.clear();
    if (![...store.options].some((each) => each.value === ledger)) store.append(el('option', {value: ledger}, name.value.trim()));
    store.value = ledger;
    keep({ledger});
    await show();
  }}, 'Create the budget');
  show();
  return el('div', {}, el('h2', {}, 'Budgets that outlive a release'),
    el('p', {class: 'lead'}, 'Every release is charged before it shows anything, and is refused when it does not fit. Choose the next question after the last answer as you like: the budget holds for all together.'),
    el('div', {class: 'columns'}, el('div', {}, el('div', {class: 'card'}, el('h3', {}, 'Ledger'), store),
      el('details', {class: 'card', open: !ledgers.length}, el('summary', {}, 'A new budget'), el('div', {class: 'field'}, el('label', {}, 'File', name), el('span', {class: 'help'}, `in ${folder}`)), main.element,
        el('details', {}, el('summary', {}, 'More options'), rest.element), create)), el('div', {}, place.element, out)));
}

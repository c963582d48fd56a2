// Ledger: what is spent, on what, and what is left.
import {badge, downward, el, short, table, upward} from './dom.js';
import {ask, forms, run} from './ask.js';
import {explainAt, form, spot} from './form.js';
import {fileChoice, filesThat, isLedger, isTable} from './files.js';
import {progressPlace} from './work.js';

const shownFirst = ['budget', 'epsilon', 'delta', 'unit_words', 'population'];
const clocks = {mu_squared: 'Gaussian noise (mu²)', slack: 'slack (delta)', pure: 'pure epsilon', zcdp: 'concentrated (rho)'};

export async function ledgerPage(state, keep) {
  const [{jobs}, ledgers, tables] = await Promise.all([forms(), filesThat(isLedger), filesThat(isTable)]);
  const out = el('div', {class: 'results', 'aria-live': 'polite'}), place = progressPlace([out]), creating = progressPlace();
  const store = fileChoice(ledgers, {label: 'Ledger', value: state.ledger ?? (ledgers.length === 1 ? ledgers[0].path : ''), onchange: () => { keep({ledger: store.value}); show(); }});
  const storeSpot = spot('ledger', {}, store);

  async function show() {
    storeSpot.show(null);
    const ledger = store.value;
    if (!ledger) { out.replaceChildren(el('div', {class: 'card hint'}, el('h3', {}, 'What a ledger is for'), el('p', {}, 'Each release gives a little away. A ledger has a budget for all of them together: every release is charged to it before it shows anything, and is refused when it does not fit.'))); return; }
    const explain = (error) => { storeSpot.show(error.message); return true; };
    await place.around(async (options) => {
      const status = await run('ledger status', {ledger}, options);
      const cards = await Promise.all(status.answer.budgets.map((budget) => budgetCard(ledger, budget, options)));
      out.replaceChildren(...cards, el('details', {class: 'card'}, el('summary', {}, 'What is left, as the program says it'), el('pre', {tabindex: 0}, status.words)), chain(ledger));
    }, explain);
  }
  async function budgetCard(ledger, budget, options) {
    const [list, picture] = await Promise.all([run('ledger list', {ledger, budget: budget.name}, options),
      run('plot ledger', {ledger, budget: budget.name, output: '-'}, options).catch(() => null)]);
    const entries = list.answer.entries ?? [];
    return el('div', {class: 'card'}, el('h3', {}, `Budget ${budget.name} `, badge(budget.guarantee)),
      el('p', {}, 'All that is charged to it is together ', el('strong', {}, `(${short(budget.epsilon)}, ${short(budget.delta)})-differentially private`), budget.population ? ` for ${budget.population}.` : '.'),
      meters(budget),
      entries.length > 1 && picture?.picture ? el('img', {class: 'picture', alt: `What is spent of ${budget.name} over time`, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.picture)}`}) : null,
      el('h4', {}, entries.length ? 'What was charged' : 'Nothing is charged yet'),
      entries.length ? entryTable(entries) : el('p', {}, el('a', {href: `#release?${encodeURIComponent(JSON.stringify({ledger, table: tables[0]?.path}))}`}, 'Release numbers from a table')));
  }
  const meters = (budget) => el('div', {class: 'meters'}, Object.keys(clocks).filter((clock) => budget[clock]?.total > 0).map((clock) => {
    const {total, spent} = budget[clock], share = Math.min(1, spent / total);
    return el('div', {class: 'meter'}, el('div', {class: 'row between'}, el('span', {}, clocks[clock]), el('span', {class: 'help'}, `${upward(spent)} spent of ${downward(total)}, ${upward(100 * share, 3)} %`)),
      el('progress', {max: 1, value: share, 'aria-label': `${clocks[clock]}: ${upward(100 * share, 3)} % spent`}));
  }));
  function entryTable(list) {
    return table(['when (UTC)', 'who', 'what', 'mu²', 'state'], withDraws(list).slice(-200).reverse().map((each) => [(each.time ?? '').replace('T', ' ').replace('Z', ''), each.who ?? '',
      entry(each), each.price ? upward(each.price.mu_squared) : 'by the plan', each.state ?? '']), [3]);
  }
  const withDraws = (list) => list.flatMap((each) => [each, ...(each.draws ?? [])]);
  // Its record, and its certificate if that is in the folders.
  function entry(each) {
    const more = el('div', {}), details = el('details', {}, el('summary', {}, each.description ?? `entry ${each.entry}`), more);
    details.addEventListener('toggle', async () => {
      if (!details.open || more.children.length) return;
      more.replaceChildren(el('pre', {tabindex: 0}, JSON.stringify(each, null, 1)));
      if (!each.certificate_sha256) return;
      try {
        const {path, text} = await ask({ask: 'certificate', sha256: each.certificate_sha256});
        more.append(el('p', {class: 'help'}, `Its certificate, ${path}:`), el('pre', {class: 'certificate', tabindex: 0}, text));
      } catch (error) { more.append(el('p', {class: 'help'}, error.message)); }
    });
    return details;
  }
  function chain(ledger) {
    const verdict = el('pre', {id: 'chain', class: 'wrapped', 'aria-live': 'polite', hidden: true}), checking = progressPlace();
    const verify = el('button', {type: 'button', id: 'verify', onclick: async () => {
      const reply = await checking.around((options) => run('ledger verify', {ledger}, options));
      verdict.hidden = !reply;
      if (reply) verdict.textContent = reply.words;
    }}, 'Check the chain');
    return el('div', {class: 'card'}, el('h3', {}, 'Was anything changed afterwards?'), verify, checking.element, verdict);
  }

  // A new one.
  const folder = (ledgers[0] ?? tables[0])?.folder ?? '';
  const name = el('input', {value: 'study.db', autocomplete: 'off'}), nameSpot = spot('ledger', {label: 'File', help: folder ? `in ${folder}` : 'in the folder that is served'}, name);
  const all = jobs['ledger create'].fields.filter((each) => each.name !== 'ledger');
  const main = form(all.filter((each) => shownFirst.includes(each.name)), {values: {budget: 'study', epsilon: 3, delta: 1e-6}});
  const rest = form(all.filter((each) => !shownFirst.includes(each.name)));
  const create = el('button', {type: 'button', class: 'main', id: 'create', onclick: async () => {
    const ledger = folder ? `${folder}/${name.value.trim()}` : name.value.trim(), places = [nameSpot, ...main.fields, ...rest.fields];
    const reply = await creating.around((options) => run('ledger create', {ledger, ...main.values(), ...rest.values()}, options), (error) => explainAt(places, error));
    if (!reply) return;
    places.forEach((each) => each.show(null));
    if (![...store.options].some((each) => each.value === ledger)) store.append(el('option', {value: ledger}, name.value.trim()));
    store.value = ledger;
    keep({ledger});
    await show();
  }}, 'Create the budget');
  show();
  return el('div', {}, el('h2', {}, 'Budgets that outlive a release'),
    el('p', {class: 'lead'}, 'Every release is charged before it shows anything, and is refused when it does not fit. Choose the next question after the last answer as you like: the budget holds for all together.'),
    el('div', {class: 'columns'}, el('div', {}, el('div', {class: 'card'}, el('h3', {}, 'Ledger'), storeSpot.element),
      el('details', {class: 'card', open: !ledgers.length}, el('summary', {}, 'A new budget'), nameSpot.element, main.element,
        el('details', {}, el('summary', {}, 'More options'), rest.element), create, creating.element)), el('div', {}, place.element, out)));
}

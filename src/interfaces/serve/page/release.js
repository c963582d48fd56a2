// Release: a table on this machine, a statistic, a budget; first what is promised, then the numbers.
import {copyable, el, newId, table} from './dom.js';
import {ask, forms, run} from './ask.js';
import {field, form} from './form.js';
import {barChart} from './chart.js';
import {fileChoice, filesThat, isLedger, isTable, rowsOf} from './files.js';
import {progressPlace} from './work.js';

// What each statistic asks first; all else is behind "More options".
const statistics = {
  count: {title: 'How many rows', columns: false, groups: true},
  mean: {title: 'Mean of a column', columns: true, groups: true},
  sum: {title: 'Sum of a column', columns: true, groups: true},
  variance: {title: 'Variance of a column', columns: true, groups: true},
  'standard-deviation': {title: 'Standard deviation of a column', columns: true, groups: true},
  median: {title: 'Median of a column', columns: true, groups: true},
  quantile: {title: 'Quantiles of a column', columns: true, groups: false, extra: ['level']},
  histogram: {title: 'Histogram or cross table', columns: false, groups: true},
  regression: {title: 'Linear regression', columns: true, target: true},
  logistic: {title: 'Logistic regression', columns: true, target: true},
  covariance: {title: 'Covariance matrix', columns: true},
  components: {title: 'Principal components', columns: true, extra: ['components', 'rows']},
};
const everyday = ['count', 'mean', 'sum', 'variance', 'standard-deviation', 'median', 'quantile', 'histogram'];
// Asked in places of their own.
const settled = new Set(['table', 'select', 'exclude', 'bounds', 'range', 'bounds_of_all', 'range_of_all', 'by', 'categories', 'edges', 'target', 'output', 'certificate', 'replace',
  'epsilon', 'delta', 'separator', 'header', 'no_header', 'decimal', 'ledger', 'budget', 'share', 'rest', 'explain', 'confidential', 'level', 'components', 'rows', 'mu', 'rho', 'standard_deviation', 'guarantee', 'intercept']);

const pair = (label, low, high) => {
  const id = newId();
  const problem = el('span', {class: 'error', role: 'alert'});
  const a = el('input', {'aria-label': `${label}: smallest`, inputmode: 'decimal', placeholder: 'smallest', value: low ?? ''});
  const b = el('input', {'aria-label': `${label}: largest`, inputmode: 'decimal', placeholder: 'largest', value: high ?? ''});
  const number = (text) => (text.trim() === '' || !Number.isFinite(Number(text)) ? text.trim() : Number(text));
  return {element: el('div', {class: 'field', id}, el('span', {class: 'help'}, `Public bounds of ${label}: values beyond are moved to them`), el('div', {class: 'row'}, a, b), problem),
    get: () => [number(a.value), number(b.value)], given: () => a.value.trim() !== '' || b.value.trim() !== ''};
};

export async function releasePage(state, keep) {
  const [{jobs}, tables, ledgers] = await Promise.all([forms(), filesThat(isTable), filesThat(isLedger)]);
  const offered = Object.keys(statistics).filter((each) => jobs[`release ${each}`]);
  const place = progressPlace();
  const columnsPlace = el('div', {}), detailsPlace = el('div', {}), budgetPlace = el('div', {}), promise = el('div', {'aria-live': 'polite'}), result = el('div', {'aria-live': 'polite'});
  let columns = [], ranges = new Map(), more = null, extra = null, chosen = [], by = null, groupInput = null, target = null;

  const statistic = el('select', {'aria-label': 'Statistic', onchange: () => { remember(); describe(); }}, offered.map((each) => el('option', {value: each}, statistics[each].title)));
  statistic.value = offered.includes(state.statistic) ? state.statistic : 'mean';
  const file = fileChoice(tables, {label: 'Table', value: state.table, onchange: () => { remember(); readColumns(); }});
  // How the file is written, where it is not plain CSV with a header.
  const look = form(jobs['release count'].fields.filter((each) => ['separator', 'header', 'no_header', 'decimal'].includes(each.name)), {onchange: () => readColumns()});
  const remember = () => keep({statistic: statistic.value, table: file.value});

  async function readColumns() {
    columns = [];
    columnsPlace.replaceChildren();
    if (file.value) {
      const reply = await place.around((options) => ask({ask: 'columns', fields: {table: [file.value], ...look.values()}}, options), look.explain);
      if (reply) columns = reply.columns;
      columnsPlace.replaceChildren(el('p', {class: 'help'}, columns.length ? `Columns, from the header: ${columns.join(', ')}` : ''));
    }
    describe();
  }

  function describe() {
    const about = statistics[statistic.value], job = jobs[`release ${statistic.value}`];
    chosen = []; ranges = new Map(); by = null; target = null; groupInput = null;
    const rangesPlace = el('div', {});
    const boundsFor = (names) => {
      for (const name of names) if (!ranges.has(name)) ranges.set(name, pair(name));
      for (const name of [...ranges.keys()]) if (!names.includes(name)) ranges.delete(name);
      rangesPlace.replaceChildren(...[...ranges.values()].map((each) => each.element));
    };
    const children = [];
    const redraw = () => boundsFor([...chosen.filter((each) => each.checked).map((each) => each.value), ...(target?.value && statistic.value === 'regression' ? [target.value] : [])]);
    if (about.columns) {
      chosen = columns.map((name) => el('input', {type: 'checkbox', value: name, onchange: redraw}));
      children.push(el('fieldset', {}, el('legend', {}, about.target ? 'Columns to predict from' : 'Columns'), chosen.map((box) => el('label', {class: 'field'}, box, ` ${box.value} `))));
    }
    if (about.target) {
      target = el('select', {'aria-label': 'Column to be predicted', onchange: redraw}, el('option', {value: ''}, 'choose'), columns.map((name) => el('option', {value: name}, name)));
      children.push(el('div', {class: 'field'}, el('label', {}, 'Column to be predicted', target)));
    }
    children.push(rangesPlace);
    if (about.groups) {
      const groups = el('div', {});
      by = el('select', {'aria-label': 'By group', onchange: () => {
        groupInput = null;
        if (by.value) {
          groupInput = {kind: el('select', {'aria-label': 'What its values are'}, el('option', {value: 'categories'}, 'is one of these words'), el('option', {value: 'edges'}, 'falls between these numbers')),
            list: el('input', {'aria-label': 'Public values or edges', placeholder: 'north, south, east, west'})};
          groups.replaceChildren(el('div', {class: 'field'}, el('span', {class: 'help'}, `${by.value} … these are public; other rows are dropped`), groupInput.kind, groupInput.list));
        } else groups.replaceChildren();
      }}, el('option', {value: ''}, 'all rows together'), columns.map((name) => el('option', {value: name}, name)));
      children.push(el('div', {class: 'field'}, el('label', {}, 'By group', by)), groups);
    }
    const own = job.fields.filter((each) => about.extra?.includes(each.name));
    extra = form(own);
    const others = job.fields.filter((each) => !settled.has(each.name) && !each.file);
    more = form(others);
    detailsPlace.replaceChildren(...children, extra.element, el('details', {}, el('summary', {}, 'More options'), more.element));
  }

  // Budget: a target of its own, or a ledger.
  const epsilon = field({name: 'epsilon', kind: 'number', help: 'privacy loss bound'}, {value: 1});
  const delta = field({name: 'delta', kind: 'number', help: 'probability that it may fail'}, {value: 1e-6});
  const store = fileChoice(ledgers, {label: 'Ledger', empty: 'no ledger', onchange: () => budgetName.element.toggleAttribute('hidden', !store.value)});
  const budgetName = field({name: 'budget', kind: 'text', help: 'which budget of it; may be left out where there is one only'});
  budgetName.element.hidden = true;
  budgetPlace.append(el('div', {class: 'row'}, epsilon.element, delta.element),
    el('div', {class: 'field'}, el('label', {}, 'Charge it to a ledger', store)), budgetName.element);
  const output = field({name: 'output', kind: 'text', help: 'file in the folder of the table; the certificate goes beside it'}, {value: 'release.csv'});
  const shared = [epsilon, delta, budgetName, output];

  function request() {
    const about = statistics[statistic.value];
    const fields = {table: file.value ? [file.value] : undefined, ...look.values(), ...extra.values(), ...more.values()};
    const names = chosen.filter((each) => each.checked).map((each) => each.value);
    if (about.columns && names.length) fields.select = names;
    const bounds = Object.fromEntries([...ranges].filter(([, each]) => each.given()).map(([name, each]) => [name, each.get()]));
    if (Object.keys(bounds).length) fields[everyday.includes(statistic.value) ? 'bounds' : 'range'] = bounds;
    if (target?.value) { fields.target = target.value; if (statistic.value === 'regression') fields.intercept = true; }
    if (by?.value) {
      fields[statistic.value === 'histogram' ? 'select' : 'by'] = [by.value];
      const list = groupInput?.list.value.split(',').map((each) => each.trim()).filter(Boolean).join(',');
      if (list) fields[groupInput.kind.value] = [list];
    }
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  }
  function explain(error) {
    shared.forEach((each) => each.show(null));
    const at = shared.find((each) => each.name === error.field);
    if (at) { at.show(error.message); at.input.focus(); return true; }
    return look.explain(error) || extra.explain(error) || more.explain(error);
  }

  async function explainFirst() {
    const reply = await place.around((options) => run(`release ${statistic.value}`, {...request(), explain: true}, options), explain);
    const target = el('p', {}, `What is released will be (${epsilon.get() ?? '?'}, ${delta.get() ?? '?'})-differentially private`,
      store.value ? ', charged to the ledger before anything is shown: if it does not fit, nothing is read.' : '.');
    promise.replaceChildren(reply ? el('div', {class: 'card'}, el('h3', {}, 'What will be promised'), target, el('pre', {tabindex: 0}, reply.words)) : el('span', {}));
  }
  async function release() {
    const folder = file.value.slice(0, file.value.lastIndexOf('/'));
    const path = `${folder}/${output.get() ?? ''}`;
    const fields = {...request(), output: path, ...(epsilon.get() !== undefined ? {epsilon: epsilon.get()} : {}), ...(delta.get() !== undefined ? {delta: delta.get()} : {}),
      ...(store.value ? {ledger: store.value, ...(budgetName.get() ? {budget: budgetName.get()} : {})} : {})};
    go.disabled = true;
    const reply = await place.around((options) => run(`release ${statistic.value}`, fields, options), explain);
    go.disabled = false;
    if (!reply) return;
    shared.forEach((each) => each.show(null));
    await show(reply, path);
  }
  async function show(reply, path) {
    const {text} = await ask({ask: 'text', file: path});
    const [heading, ...rows] = rowsOf(text);
    const at = (name) => heading.indexOf(name);
    const number = (row, name) => (at(name) < 0 || row[at(name)] === '' ? null : Number(row[at(name)]));
    const parts = [];
    if (at('value') >= 0) {
      const bars = rows.map((row) => ({label: row.slice(0, at('value')).join(' ') || 'all', value: number(row, 'value'), lower: number(row, 'lower'), upper: number(row, 'upper')}));
      parts.push(barChart({title: statistics[statistic.value].title, y: {label: statistic.value}, bars}),
        el('p', {class: 'help'}, 'Whiskers: 95 % intervals for the noise. What clamping to the bounds changed is not in them.'));
    }
    parts.push(table(heading, rows.slice(0, 200), heading.map((_, i) => i).slice(1)),
      el('details', {open: true}, el('summary', {}, 'What is promised'), el('pre', {id: 'certificate', tabindex: 0}, reply.words)), copyable('Command', reply.command));
    result.replaceChildren(el('div', {class: 'card'}, el('h3', {}, `Released to ${path}`), ...parts));
    result.scrollIntoView({behavior: 'smooth', block: 'start'});
  }

  const ahead = el('button', {type: 'button', onclick: explainFirst}, 'What will be promised?');
  const go = el('button', {type: 'button', class: 'main', onclick: release}, 'Release');
  describe();
  if (file.value) readColumns();
  return el('div', {}, el('h2', {}, 'Release numbers from a table'),
    el('p', {class: 'lead'}, 'The table stays on this machine. What you type here must be known without looking into it: ranges, groups, budget.'),
    tables.length ? null : el('p', {class: 'error'}, 'There is no table in the folders that are served. Start modicum serve with --folder.'),
    el('div', {class: 'columns'},
      el('ol', {class: 'steps'}, el('li', {class: 'card'}, el('h3', {}, 'Table'), file, columnsPlace, el('details', {}, el('summary', {}, 'Other separators, no header'), look.element)), el('li', {class: 'card'}, el('h3', {}, 'What'), el('div', {class: 'field'}, statistic), detailsPlace),
        el('li', {class: 'card'}, el('h3', {}, 'Budget'), budgetPlace), el('li', {class: 'card'}, el('h3', {}, 'Where to'), output.element, el('div', {class: 'row'}, ahead, go))),
      el('div', {}, place.element, promise, result)));
}

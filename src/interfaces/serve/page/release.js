// Release: a table on this machine, a statistic, a budget; first what is promised, then the numbers.
import {el} from './dom.js';
import {ask, forms, run} from './ask.js';
import {explainAt, field, form, spot} from './form.js';
import {fileChoice, filesThat, inFolder, isLedger, isTable} from './files.js';
import {budgetFields} from './budget.js';
import {promiseCard, releasedCard} from './released.js';
import {progressPlace} from './work.js';

// What each statistic asks first; all else is behind "More options".
const statistics = {
  count: {title: 'How many rows', columns: false, groups: true},
  mean: {title: 'Mean of a column', columns: true, groups: true},
  sum: {title: 'Sum of a column', columns: true, groups: true},
  variance: {title: 'Variance of a column', columns: true, groups: true},
  'standard-deviation': {title: 'Standard deviation of a column', columns: true, groups: true},
  median: {title: 'Median of a column', columns: true, groups: true},
  quantile: {title: 'Quantiles of a column', columns: true, groups: true, extra: ['level']},
  histogram: {title: 'Histogram', columns: false, groups: true, bins: true},
  regression: {title: 'Linear regression', columns: true, target: true, ranges: true},
  logistic: {title: 'Logistic regression', columns: true, target: true, ranges: true, extra: ['threshold']},
  covariance: {title: 'Covariance matrix', columns: true, ranges: true},
  components: {title: 'Principal components', columns: true, ranges: true, extra: ['components']},
};
// Asked in places of their own.
const settled = new Set(['table', 'select', 'exclude', 'bounds', 'range', 'by', 'categories', 'edges', 'target', 'output', 'certificate',
  'epsilon', 'delta', 'separator', 'header', 'no_header', 'decimal', 'ledger', 'budget', 'explain', 'confidential', 'intercept', 'level', 'components', 'threshold']);

const number = (text) => (text.trim() === '' || !Number.isFinite(Number(text)) ? text.trim() : Number(text));

// The public bounds of one column.
function boundsOf(column, onchange) {
  const input = (which) => el('input', {'aria-label': `${column}: ${which}`, inputmode: 'decimal', autocomplete: 'off', placeholder: which, oninput: onchange});
  const low = input('smallest'), high = input('largest');
  const place = spot(`bounds of ${column}`, {label: `Public bounds of ${column}`, help: 'values beyond them are moved to them'}, low, high);
  return {...place, get: () => [number(low.value), number(high.value)], given: () => low.value.trim() !== '' || high.value.trim() !== '', input: low, low, high};
}

export async function releasePage(state, keep) {
  const [{jobs}, tables, ledgers] = await Promise.all([forms(), filesThat(isTable), filesThat(isLedger)]);
  const offered = Object.keys(statistics).filter((each) => jobs[`release ${each}`]);
  const promise = el('div', {class: 'results', 'aria-live': 'polite'}), result = el('div', {class: 'results', 'aria-live': 'polite'});
  const reading = progressPlace(), place = progressPlace([promise]), releasing = progressPlace([]);
  const columnsPlace = el('div', {}), detailsPlace = el('div', {});
  let columns = [], ranges = new Map(), more = null, extra = null, boxes = [], columnsSpot = null, by = null, bins = null, target = null;

  // What was promised is not what would be released now.
  const changed = () => promise.querySelectorAll('button.main').forEach((each) => { each.disabled = true; promise.classList.add('stale'); note.hidden = false; });
  const note = el('p', {class: 'help', hidden: true, role: 'status'}, 'Something was changed since: look at the promise again.');

  const statistic = el('select', {onchange: () => { remember(); describe(); changed(); }, 'aria-label': 'Statistic'}, offered.map((each) => el('option', {value: each}, statistics[each].title)));
  statistic.value = offered.includes(state.statistic) ? state.statistic : 'mean';
  const file = fileChoice(tables, {label: 'Table', value: state.table, onchange: () => { remember(); readColumns(); changed(); }});
  const fileSpot = spot('table', {}, file);
  // How the file is written, where it is not plain CSV with a header.
  const look = form(jobs['release count'].fields.filter((each) => ['separator', 'header', 'no_header', 'decimal'].includes(each.name)), {onchange: () => { readColumns(); changed(); }});
  const remember = () => keep({statistic: statistic.value, table: file.value});

  async function readColumns() {
    columns = [];
    fileSpot.show(null);
    columnsPlace.replaceChildren();
    if (file.value) {
      const explain = (error) => { if (!look.explain(error, {focus: false})) fileSpot.show(error.message); return true; };
      const reply = await reading.around((options) => ask({ask: 'columns', fields: {table: [file.value], ...look.values()}}, options), explain);
      if (reply) columns = reply.columns;
      columnsPlace.replaceChildren(columns.length ? el('p', {class: 'help'}, 'Columns, from the header alone: ', columns.join(', ')) : '');
    }
    describe();
  }

  const listOf = (text) => text.split(',').map((each) => each.trim()).filter(Boolean);
  function groupFields(about) {
    const groups = el('div', {});
    const select = el('select', {'aria-label': 'By group', onchange: () => { fill(); changed(); }}, el('option', {value: ''}, about.bins ? 'choose' : 'all rows together'), columns.map((name) => el('option', {value: name}, name)));
    by = spot(about.bins ? 'select' : 'by', {label: about.bins ? 'Column to count in' : 'By group'}, select);
    function fill() {
      bins = null;
      groups.replaceChildren();
      if (!select.value) return;
      const kind = el('select', {'aria-label': 'What its values are', onchange: () => { list.placeholder = kind.value === 'edges' ? '0, 10, 20, 50' : 'north, south, east, west'; changed(); }},
        el('option', {value: 'categories'}, 'is one of these words'), el('option', {value: 'edges'}, 'falls between these numbers'));
      const list = el('input', {'aria-label': 'Public values or edges', placeholder: 'north, south, east, west', autocomplete: 'off', oninput: changed});
      const at = spot('categories', {label: `Groups: ${select.value} …`, help: 'public, with commas between them; rows in none of them are dropped'}, list);
      at.element.insertBefore(kind, list);
      bins = {kind, list, places: ['categories', 'edges'].map((name) => ({...at, name}))};
      groups.replaceChildren(at.element);
    }
    return [by.element, groups];
  }

  function describe() {
    const about = statistics[statistic.value], job = jobs[`release ${statistic.value}`];
    const before = new Set(boxes.filter((each) => each.checked).map((each) => each.value));
    boxes = []; ranges = new Map(); by = null; target = null; bins = null; columnsSpot = null;
    const rangesPlace = el('div', {});
    const redraw = () => {
      const names = [...boxes.filter((each) => each.checked).map((each) => each.value), ...(target?.input.value && statistic.value === 'regression' ? [target.input.value] : [])];
      for (const name of names) if (!ranges.has(name)) ranges.set(name, boundsOf(name, changed));
      for (const name of [...ranges.keys()]) if (!names.includes(name)) ranges.delete(name);
      rangesPlace.replaceChildren(...[...ranges.values()].map((each) => each.element));
      changed();
    };
    const children = [];
    if (!columns.length) children.push(el('p', {class: 'help'}, 'Choose a table first.'));
    if (about.columns && columns.length) {
      boxes = columns.map((name) => { const box = el('input', {type: 'checkbox', value: name, onchange: redraw}); box.checked = before.has(name); return box; });
      const problem = el('span', {class: 'error', role: 'alert'});
      const group = el('fieldset', {'data-field': 'select'}, el('legend', {}, about.target ? 'Columns to predict from' : 'Columns'), el('div', {class: 'boxes'}, boxes.map((box) => el('label', {class: 'box'}, box, ` ${box.value}`))), problem);
      columnsSpot = {name: 'select', element: group, input: boxes[0], show: (message) => { problem.textContent = message ?? ''; boxes.forEach((each) => (message ? each.setAttribute('aria-invalid', 'true') : each.removeAttribute('aria-invalid'))); }};
      children.push(group);
    }
    if (about.target && columns.length) {
      const select = el('select', {'aria-label': 'Column to be predicted', onchange: redraw}, el('option', {value: ''}, 'choose'), columns.map((name) => el('option', {value: name}, name)));
      target = spot('target', {label: 'Column to be predicted'}, select);
      children.push(target.element);
    }
    children.push(rangesPlace);
    if (about.groups && columns.length) children.push(...groupFields(about));
    extra = form(job.fields.filter((each) => about.extra?.includes(each.name)), {onchange: changed});
    more = form(job.fields.filter((each) => !about.extra?.includes(each.name) && !settled.has(each.name) && !each.file), {onchange: changed});
    detailsPlace.replaceChildren(...children, extra.element, el('details', {}, el('summary', {}, 'More options'), more.element));
    redraw();
  }

  const budget = budgetFields(jobs, ledgers, {state, folder: () => file.value, changed});
  const output = field({name: 'output', kind: 'text', help: 'a file beside the table: .csv, .json or .npy; the certificate goes beside it'}, {label: 'Write to', value: 'release.csv', onchange: changed});

  function request() {
    const about = statistics[statistic.value];
    const fields = {table: file.value ? [file.value] : undefined, ...look.values(), ...extra.values(), ...more.values()};
    const names = boxes.filter((each) => each.checked).map((each) => each.value);
    if (about.columns && names.length) fields.select = names;
    const bounds = Object.fromEntries([...ranges].filter(([, each]) => each.given()).map(([name, each]) => [name, each.get()]));
    if (Object.keys(bounds).length) fields[about.ranges ? 'range' : 'bounds'] = bounds;
    if (target?.input.value) { fields.target = target.input.value; fields.intercept = true; }
    if (by?.input.value) {
      fields[by.name] = [by.input.value];
      const list = listOf(bins.list.value).join(',');
      if (list) fields[bins.kind.value] = [list];
    }
    return Object.fromEntries(Object.entries({...fields, ...budget.values()}).filter(([, value]) => value !== undefined));
  }

  // Bounds have as many places as columns: that of the column that is named, or the first without.
  function boundsPlace(error) {
    if (!['bounds', 'range', 'bounds_of_all', 'range_of_all', 'row_norm_bound'].includes(error.field)) return null;
    const all = [...ranges.values()], named = [...ranges].find(([name]) => new RegExp(`\\b${name.replace(/[^\w]/g, '.')}\\b`).test(error.message));
    return named?.[1] ?? all.find((each) => !each.given()) ?? all[0] ?? columnsSpot;
  }
  const places = () => [fileSpot, columnsSpot, by, target, output, ...(bins?.places ?? []), ...ranges.values(), ...budget.places, ...look.fields, ...extra.fields, ...more.fields].filter(Boolean);
  function explain(error) {
    const at = boundsPlace(error);
    return explainAt(places(), at ? {field: at.name, message: error.message} : error);
  }

  async function explainFirst() {
    note.hidden = true;
    releasing.tell('');
    result.replaceChildren();
    const fields = request();
    const reply = await place.around((options) => run(`release ${statistic.value}`, {...fields, explain: true}, options), explain);
    if (!reply) return;
    places().forEach((each) => each.show(null));
    if (!reply.answer.certificate) {
      promise.replaceChildren();
      explain({field: fields.epsilon === undefined ? 'epsilon' : 'delta', message: 'epsilon and delta must both be given'});
      return;
    }
    const release = el('button', {type: 'button', class: 'main', id: 'release', onclick: () => draw(fields)}, 'Release these numbers');
    promise.classList.remove('stale');
    promise.replaceChildren(promiseCard(reply, release, output.get()));
    promise.scrollIntoView({behavior: 'smooth', block: 'nearest'});
  }
  async function draw(fields) {
    const path = inFolder(file.value, output.get() ?? ''), button = promise.querySelector('#release');
    button.disabled = true;
    result.replaceChildren();
    const reply = await releasing.around((options) => run(`release ${statistic.value}`, {...fields, output: path}, options), explain);
    if (!reply) { button.disabled = false; return; }
    places().forEach((each) => each.show(null));
    result.replaceChildren(releasedCard(reply, {title: statistics[statistic.value].title, statistic: statistic.value, path, ledger: budget.values().ledger}));
    result.querySelector('h3').focus();
    result.scrollIntoView({behavior: 'smooth', block: 'start'});
  }

  describe();
  if (file.value) readColumns();
  const step = (title, ...content) => el('li', {class: 'card'}, el('h3', {}, title), ...content);
  return el('div', {}, el('h2', {}, 'Release numbers from a table'),
    el('p', {class: 'lead'}, 'The table stays on this machine. What you type here must be known without looking into it: bounds, groups, budget.'),
    tables.length ? null : el('p', {class: 'error'}, 'There is no table in the folders that are served. Start modicum serve with --folder.'),
    el('div', {class: 'columns'},
      el('ol', {class: 'steps'}, step('Table', fileSpot.element, reading.element, columnsPlace, el('details', {}, el('summary', {}, 'Other separators, no header'), look.element)),
        step('What to release', el('div', {class: 'field'}, statistic), detailsPlace), step('Budget', budget.element),
        step('Where to', output.element, el('button', {type: 'button', class: 'main wide', id: 'preview', onclick: explainFirst}, 'What will be promised?'),
          el('p', {class: 'help'}, 'Nothing is read for that, and nothing is spent.'))),
      el('div', {}, place.element, note, promise, releasing.element, result, hint())));
}

// What stands there before anything is asked.
const hint = () => el('div', {class: 'card hint'}, el('h3', {}, 'How it goes'), el('ol', {}, el('li', {}, 'Choose a table and what to release from it.'),
  el('li', {}, 'See what will be promised, how large the noise will be and what it costs. Up to here no row is read.'), el('li', {}, 'Release. The numbers come with error bars, and with a certificate that others can check.')));

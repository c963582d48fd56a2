// Reports: what single records lost to a release, by the jobs of the command line.
import {copyable, el, keepFile, table, upward} from './dom.js';
import {ask, forms, run} from './ask.js';
import {explainAt, field, form, spot} from './form.js';
import {fileChoice, filesThat, inFolder, isTable} from './files.js';
import {progressPlace} from './work.js';

const budget = ['method', 'epsilon', 'delta', 'failure', 'cover'];
// What is asked first; all else is behind "More options". `fixed` is settled by the choice.
const kinds = {
  losses: {title: 'What each record lost', help: 'for the holder of the data: exact losses of all records, with pictures', job: 'report per-instance', files: ['table', 'release'], asks: [], fixed: {confidential: true}, output: 'losses.csv', page: 'losses.html', hide: [...budget, 'records']},
  publish: {title: 'A report that may be published', help: 'a page on which everybody can ask what their own record lost; with a little noise of its own', job: 'report per-instance', files: ['table', 'release'], asks: budget, fixed: {}, values: {method: 'data-independent'}, output: 'report.json', page: 'report.html', hide: ['confidential', 'records']},
  evaluate: {title: 'A published report, at my record', help: 'what the report says about the records of a table', job: 'report evaluate', files: ['report', 'records'], asks: [], fixed: {}},
  budget: {title: 'What a report costs, before any data', help: 'from public numbers alone', job: 'report budget', files: [], asks: null, fixed: {}},
};
const fileWords = {table: ['Table', 'the data that the coefficients are from'], release: ['Released coefficients', 'made with release logistic or regression, method objective'], report: ['Report', 'a published one'], records: ['Records', 'a table with the columns of the data']};
const fits = {table: isTable, records: isTable, release: (name) => /\.(csv|npy|json)$/i.test(name) && !/certificate\.json$/i.test(name), report: (name) => /\.json$/i.test(name) && !/certificate\.json$/i.test(name)};

export async function reportsPage(state, keep) {
  const [{jobs}, files] = await Promise.all([forms(), filesThat(() => true)]);
  const out = el('div', {class: 'results', 'aria-live': 'polite'}), place = progressPlace([out]), body = el('div', {});
  const offered = Object.keys(kinds).filter((each) => jobs[kinds[each].job]);
  let kind = offered.includes(state.kind) ? state.kind : offered[0], places = [], values = () => ({});
  const choices = el('div', {class: 'choices', role: 'radiogroup', 'aria-label': 'Report'}, offered.map((each) => el('label', {class: 'choice'},
    el('input', {type: 'radio', name: 'report', value: each, checked: each === kind, onchange: () => { kind = each; keep({kind}); describe(); }}), el('span', {}, el('strong', {}, kinds[each].title), el('span', {class: 'help'}, kinds[each].help)))));

  function describe() {
    const about = kinds[kind], fields = jobs[about.job].fields, list = (name) => ['table', 'records'].includes(name) && fields.find((each) => each.name === name)?.kind !== 'text';
    const chosen = about.files.map((name) => {
      const select = fileChoice(files.filter((each) => fits[name](each.name)), {label: fileWords[name][0]});
      return {...spot(name, {label: fileWords[name][0], help: fileWords[name][1]}, select), get: () => (select.value ? (list(name) ? [select.value] : select.value) : undefined)};
    });
    const written = ['output', 'page'].filter((name) => about[name] && fields.some((each) => each.name === name))
      .map((name) => field({name, kind: 'text', help: name === 'page' ? 'a web page of it in one file' : 'beside the release'}, {label: name === 'page' ? 'Page' : 'Write to', value: about[name]}));
    const settled = new Set([...about.files, ...Object.keys(about.fixed), ...(about.hide ?? []).filter((name) => !about.asks?.includes(name)), 'output', 'page', 'explain']);
    const left = fields.filter((each) => !settled.has(each.name));
    const first = form(left.filter((each) => (about.asks === null ? each.required : about.asks.includes(each.name) || each.required)), {values: about.values});
    const rest = form(left.filter((each) => !(about.asks === null ? each.required : about.asks.includes(each.name) || each.required) && !each.file));
    places = [...chosen, ...first.fields, ...written, ...rest.fields];
    values = () => {
      const beside = chosen.map((each) => each.get()).flat().find(Boolean);
      const given = {...first.values(), ...rest.values(), ...about.fixed};
      for (const each of chosen) given[each.name] = each.get();
      for (const each of written) given[each.name] = each.get() && inFolder(beside, each.get());
      return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    };
    body.replaceChildren(...chosen.map((each) => each.element), first.element, ...written.map((each) => each.element), rest.fields.length ? el('details', {}, el('summary', {}, 'More options'), rest.element) : '');
    out.replaceChildren();
    place.tell('');
  }

  const download = (path, words) => el('button', {type: 'button', class: 'small', onclick: async () => {
    const reply = await place.around((options) => ask({ask: 'file', file: path}, options));
    if (reply) keepFile(reply.name, new Blob([Uint8Array.from(atob(reply.base64), (c) => c.charCodeAt(0))]));
  }}, words);
  const go = el('button', {type: 'button', class: 'main wide', id: 'make', onclick: async () => {
    const given = values();
    const reply = await place.around((options) => run(kinds[kind].job, given, options), (error) => explainAt(places, error));
    if (!reply) return;
    places.forEach((each) => each.show(null));
    const page = given.page, records = reply.answer.records ?? [];
    out.replaceChildren(el('div', {class: 'card'}, el('h3', {}, kinds[kind].title), kinds[kind].fixed.confidential ? el('p', {class: 'confidential'}, 'Confidential: for the holder of the data only.') : null,
      Array.isArray(records) && records.length ? table(['record', 'if it is in the data, at most', 'if it is not, at most'], records.slice(0, 200).map((each, i) => [i + 1, upward(each.inside), upward(each.outside)]), [0, 1, 2]) : null,
      el('details', {open: !page}, el('summary', {}, 'All that the program says'), el('pre', {tabindex: 0}, reply.words)), el('div', {class: 'row'}, page ? download(page, 'Download the page') : null, given.output ? download(given.output, 'Download the file') : null),
      copyable('Command', reply.command)));
    if (page) await showPage(page);
  }}, 'Make the report');
  // The page of the report, in a frame that may run its script and nothing else.
  async function showPage(path) {
    const reply = await place.around((options) => ask({ask: 'text', file: path}, options));
    if (reply) out.append(el('iframe', {class: 'report', title: 'The page of the report', sandbox: 'allow-scripts allow-forms', srcdoc: reply.text}));
  }
  describe();
  return el('div', {}, el('h2', {}, 'What did one record lose?'),
    el('p', {class: 'lead'}, 'A guarantee holds for everybody; a single record usually lost much less. Losses of records are for the holder of the data; a report may be published, and everybody evaluates it at their own record.'),
    el('div', {class: 'columns'}, el('div', {}, el('div', {class: 'card'}, choices), el('div', {class: 'card'}, body, go)), el('div', {}, place.element, out)));
}

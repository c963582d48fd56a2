// Reports: what single records lost to a release, by the jobs of the command line.
import {copyable, el} from './dom.js';
import {forms, run} from './ask.js';
import {form} from './form.js';
import {filesThat} from './files.js';
import {progressPlace} from './work.js';

const titles = {'report per-instance': 'What each record lost, or a report that may be published', 'report evaluate': 'A published report, at my record', 'report budget': 'What a report costs, before any data'};

export async function reportsPage(state, keep) {
  const [{jobs}, files] = await Promise.all([forms(), filesThat(() => true)]);
  const place = progressPlace(), body = el('div', {}), out = el('div', {'aria-live': 'polite'});
  const offered = Object.keys(titles).filter((each) => jobs[each]);
  let own = null;
  const choice = el('select', {'aria-label': 'Report', onchange: () => { keep({job: choice.value}); describe(); }}, offered.map((each) => el('option', {value: each}, titles[each])));
  choice.value = offered.includes(state.job) ? state.job : offered[0];
  const names = el('datalist', {id: 'served-files'}, files.map((each) => el('option', {value: each.path})));
  const simple = new Set(['release', 'method', 'epsilon', 'delta', 'failure', 'output', 'page', 'report', 'records', 'table', 'certificate', 'confidential', 'cover']);
  function describe() {
    const fields = jobs[choice.value].fields;
    const first = form(fields.filter((each) => each.required || simple.has(each.name)));
    const rest = form(fields.filter((each) => !(each.required || simple.has(each.name))));
    for (const each of [...first.fields, ...rest.fields])
      if (fields.find((known) => known.name === each.name).file) each.input.setAttribute('list', 'served-files');
    own = {values: () => ({...first.values(), ...rest.values()}), explain: (error) => first.explain(error) || rest.explain(error), clear: () => { first.clear(); rest.clear(); }};
    body.replaceChildren(first.element, el('details', {}, el('summary', {}, 'More options'), rest.element));
    out.replaceChildren();
  }
  const go = el('button', {type: 'button', class: 'main', onclick: async () => {
    const reply = await place.around((options) => run(choice.value, own.values(), options), own.explain);
    if (!reply) return;
    own.clear();
    out.replaceChildren(el('div', {class: 'card'}, el('h3', {}, 'Report'), el('pre', {tabindex: 0}, reply.words), copyable('Command', reply.command)));
  }}, 'Make the report');
  describe();
  return el('div', {}, el('h2', {}, 'What did one record lose?'),
    el('p', {class: 'lead'}, 'A guarantee holds for everybody; a single record usually lost much less. Losses of records are for the holder of the data; a report with noise of its own may be published, and everybody evaluates it at their own record.'),
    names, el('div', {class: 'columns'}, el('div', {class: 'card'}, el('div', {class: 'field'}, choice), body, go), el('div', {}, place.element, out)));
}

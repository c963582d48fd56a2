// Compose: mechanisms side by side, and what they give away together.
import {badge, copyable, downward, el, later, lowerEnd, upperEnd, upward} from './dom.js';
import {forms, newest, run} from './ask.js';
import {field, form} from './form.js';
import {lineChart} from './chart.js';

const first = {mechanism: 'gaussian', standard_deviation: 4, sensitivity: 1, count: 10};
// Mechanisms whose keys a form can hold, the common ones first; all others go by JSON.
const common = ['gaussian', 'laplace', 'subsampled_gaussian', 'discrete_gaussian', 'discrete_laplace', 'randomized_response', 'gaussian_dp', 'pure', 'approximate', 'zcdp'];
const simple = (mechanism) => mechanism.fields.every((each) => ['number', 'word', 'flag', 'text'].includes(each.kind) && !each.file);
const examples = {standard_deviation: 4, sensitivity: 1, scale: 2, sampling_rate: 0.01, sigma: 4, truth_probability: 0.75, mu: 0.5, epsilon: 0.1, delta: 1e-7, rho: 0.01, range: 0.1,
  columns: 300, leverage: 0.02, dimension: 3, alpha: 2, beta: 0.5, p: 1, lipschitz: 1, smoothness: 0.25, regularization: 10};

// Keys that may be left out, and are asked all the same.
const optional = new Set(['standard_deviation', 'sensitivity', 'sampling', 'adjacency', 'loss']);

export function descriptionOf(parts) { return parts.length === 1 ? parts[0] : {compose: parts}; }

// The editor of a list of parts, used by other pages, too.
export async function partsEditor(parts, changed) {
  const {mechanisms} = await forms();
  const usable = mechanisms.filter(simple);
  usable.sort((a, b) => (common.indexOf(a.name) + 99) % 99 - (common.indexOf(b.name) + 99) % 99);
  const list = el('div', {});
  let editors = [];
  const read = () => editors.map((each) => each.read());
  const tell = () => changed(read());
  const addPart = (given) => {
    const place = el('div', {class: 'part', role: 'group', 'aria-label': 'Mechanism'});
    let own = null;
    const select = el('select', {'aria-label': 'Mechanism', onchange: () => { fillIn({}); tell(); }},
      usable.map((each) => el('option', {value: each.name}, each.name.replaceAll('_', ' '))));
    select.value = usable.some((each) => each.name === given.mechanism) ? given.mechanism : 'gaussian';
    const remove = el('button', {class: 'small', type: 'button', 'aria-label': 'Remove this mechanism', onclick: () => {
      editors = editors.filter((each) => each !== editor);
      place.remove();
      tell();
    }}, '×');
    const body = el('div', {});
    const count = field({name: 'count', kind: 'number', help: 'how often'}, {value: given.count ?? 1, onchange: () => { slider.value = Math.log10(count.get() || 1); tell(); }});
    const slider = el('input', {type: 'range', min: 0, max: 5, step: 0.01, value: Math.log10(given.count ?? 1), 'aria-label': 'How often, on a logarithmic scale',
      oninput: () => { count.set(Math.round(10 ** slider.value)); tell(); }});
    function fillIn(values) {
      const mechanism = usable.find((each) => each.name === select.value);
      const start = Object.fromEntries(mechanism.fields.filter((each) => each.required).map((each) => [each.name, values[each.name] ?? each.default ?? examples[each.name] ?? 1]));
      own = form(mechanism.fields.filter((each) => each.required || optional.has(each.name)),
        {values: {...prefilled(mechanism), ...start, ...values}, onchange: tell});
      body.replaceChildren(own.element);
    }
    const editor = {read: () => {
      const repeated = count.get();
      return {mechanism: select.value, ...own.values(), ...(repeated === undefined || repeated === 1 ? {} : {count: repeated})};
    }, explain: (error) => own.explain(error)};
    fillIn(given);
    place.append(el('div', {class: 'top'}, select, remove), body, count.element, slider);
    list.append(place);
    editors.push(editor);
  };
  parts.forEach(addPart);
  const more = el('button', {type: 'button', onclick: () => { addPart(first); tell(); }}, 'Add a mechanism');
  return {element: el('div', {}, list, more), read};
}

const prefilled = (mechanism) => (mechanism.fields.some((each) => each.name === 'standard_deviation') ? {standard_deviation: 4, sensitivity: 1} : {});

const spaced = (low, high, n) => Array.from({length: n}, (_, i) => low + (high - low) * i / (n - 1));

export async function composePage(state, keep) {
  const parts = state.parts?.length ? state.parts : [first];
  const result = el('div', {class: 'card', 'aria-live': 'polite'});
  const charts = el('div', {class: 'charts'});
  const same = el('div', {});
  const delta = field({name: 'delta', kind: 'number', help: 'probability that the bound epsilon may fail'}, {value: state.delta ?? 1e-6, onchange: () => update(editor.read())});

  async function ask(given, fast) {
    const description = descriptionOf(given), options = fast ? {fast: true} : {};
    const at = delta.get() ?? 1e-6;
    const {answer, command} = await run('epsilon', {description, delta: [at], ...options});
    delta.show(null);
    const epsilon = upperEnd(answer.epsilon);
    result.replaceChildren(el('h3', {}, `epsilon at delta = ${at}`),
      el('div', {class: 'number', id: 'epsilon'}, upward(epsilon, 6)), badge(answer.proof),
      el('p', {class: 'help'}, `Whoever sees all answers learns no more about a record than (${upward(epsilon)}, ${at}) differential privacy allows. At least ${downward(lowerEnd(answer.epsilon), 6)}.`));
    same.replaceChildren(el('details', {class: 'card'}, el('summary', {}, 'The same as JSON, command and Python'),
      copyable('JSON', JSON.stringify(description, null, 1)), copyable('Command', command),
      copyable('Python', `import modicum\n\nloss = modicum.loss(${python(description)})\nprint(loss.epsilon(${at}))`)));
    const range = Math.max(epsilon * 1.5, 0.05);
    const [profile, tradeoff, renyi] = await Promise.all([
      run('profile', {description, epsilon: spaced(0, range, 33), ...options}),
      run('tradeoff', {description, type1: [0, 0.002, 0.01, ...spaced(0.02, 1, 50)], ...options}),
      run('renyi', {description, order: spaced(0, 7, 15).map((each) => 1.1 * 2 ** each), ...options})]);
    charts.replaceChildren(
      lineChart({title: 'Privacy profile', x: {label: 'epsilon', low: 0}, y: {label: 'delta, at most', log: true},
        series: [{label: 'delta', points: profile.answer.points.map((each) => [each.epsilon, upperEnd(each.delta)])}], marks: [{x: epsilon}]}),
      lineChart({title: 'Trade-off curve', x: {label: 'false alarms', low: 0, high: 1}, y: {label: 'misses, at least', low: 0, high: 1, down: true}, diagonal: true,
        series: [{label: 'misses', points: tradeoff.answer.points.map((each) => [each.type1, lowerEnd(each.type2)])}]}),
      lineChart({title: 'Renyi divergence', x: {label: 'order', log: true}, y: {label: 'divergence, at most'},
        series: [{label: 'divergence', points: renyi.answer.points.map((each) => [each.order, each.divergence])}]}));
  }

  const refuse = (error) => {
    if (error.field === 'delta') { delta.show(error.message); return; }
    result.replaceChildren(el('p', {class: 'error', role: 'alert'}, error.message));
  };
  // Quickly while a slider moves, with proof when it rests.
  const proveLater = later(350, (given) => asking(given, false));
  const asking = newest(async (given, fast) => {
    try { await ask(given, fast); } catch (error) { refuse(error); }
  });
  function update(given) {
    if (!given.length) return;
    keep({parts: given, delta: delta.get()});
    asking(given, true);
    proveLater(given);
  }
  const editor = await partsEditor(parts, update);
  asking(editor.read(), false);
  return el('div', {}, el('h2', {}, 'What do several answers give away together?'),
    el('p', {class: 'lead'}, 'Add every mechanism that saw the data. The losses are composed exactly; nothing is split or rounded to a rule of thumb.'),
    el('div', {class: 'columns'}, el('div', {class: 'card'}, editor.element), el('div', {}, el('div', {class: 'row'}, delta.element), result, charts, same)));
}

// JSON is Python but for three words.
export const python = (value) => JSON.stringify(value).replace(/\btrue\b/g, 'True').replace(/\bfalse\b/g, 'False').replace(/\bnull\b/g, 'None');

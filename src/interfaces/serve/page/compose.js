// Compose: mechanisms side by side, and what they give away together.
import {badge, copyable, downward, el, later, lowerEnd, short, upperEnd, upward} from './dom.js';
import {newest, run} from './ask.js';
import {explainAt, field} from './form.js';
import {lineChart} from './chart.js';
import {descriptionOf, partsEditor} from './parts.js';
import {progressPlace} from './work.js';

const usual = [{mechanism: 'gaussian', standard_deviation: 4, sensitivity: 1, count: 10}];
const spaced = (low, high, n) => Array.from({length: n}, (_, i) => low + (high - low) * i / (n - 1));

const profileOf = (points, epsilon) => ({title: 'Privacy profile', x: {label: 'epsilon', low: 0}, y: {label: 'delta, at most', log: true},
  series: [{label: 'delta', points}], marks: epsilon === undefined ? [] : [{x: epsilon}]});
const tradeoffOf = (points) => ({title: 'Trade-off curve', x: {label: 'false alarms', low: 0, high: 1}, y: {label: 'misses, at least', low: 0, high: 1, down: true}, diagonal: true,
  series: [{label: 'misses', points}]});
const renyiOf = (points) => ({title: 'Renyi divergence', x: {label: 'order', log: true}, y: {label: 'divergence, at most', log: true}, series: [{label: 'divergence', points}]});

export async function composePage(state, keep) {
  const result = el('div', {class: 'results', 'aria-live': 'polite'}), charts = el('div', {class: 'charts results'}), same = el('div', {class: 'results'});
  const place = progressPlace([result, charts, same]);
  const delta = field({name: 'delta', kind: 'number', help: 'probability that the bound epsilon may fail'}, {value: state.delta ?? 1e-6, onchange: () => update(editor.read())});
  const profileChart = lineChart(profileOf([])), tradeoffChart = lineChart(tradeoffOf([])), renyiChart = lineChart(renyiOf([]));

  async function answer(given, fast, options) {
    const description = descriptionOf(given), how = fast ? {fast: true} : {};
    const at = delta.get() ?? 1e-6;
    const {answer: found, command} = await run('epsilon', {description, delta: [at], ...how}, options);
    delta.show(null);
    editor.clear();
    const epsilon = upperEnd(found.epsilon);
    result.replaceChildren(el('div', {class: 'card hero'}, el('h3', {}, `epsilon at delta = ${short(at)}`),
      el('div', {class: 'row'}, el('div', {class: 'number', id: 'epsilon'}, upward(epsilon, 6)), badge(found.proof)),
      el('p', {class: 'help'}, `Somebody who sees all answers learns no more about a record than (${upward(epsilon)}, ${short(at)}) differential privacy allows. The true epsilon is at least ${downward(lowerEnd(found.epsilon), 6)}.`)));
    same.replaceChildren(el('details', {class: 'card'}, el('summary', {}, 'The same as JSON, command and Python'),
      copyable('JSON', JSON.stringify(description, null, 1)), copyable('Command', command),
      copyable('Python', `import modicum\n\nloss = modicum.loss(${python(description)})\nprint(loss.epsilon(${at}))`)));
    const range = Math.max(epsilon * 1.5, 0.05);
    const [profile, tradeoff, renyi] = await Promise.all([
      run('profile', {description, epsilon: spaced(0, range, 33), ...how}, options),
      run('tradeoff', {description, type1: [0, 0.002, 0.01, ...spaced(0.02, 1, 50)], ...how}, options),
      run('renyi', {description, order: spaced(0, 7, 15).map((each) => 1.1 * 2 ** each), ...how}, options)]);
    profileChart.update(profileOf(profile.answer.points.map((each) => [each.epsilon, upperEnd(each.delta)]), epsilon));
    tradeoffChart.update(tradeoffOf(tradeoff.answer.points.map((each) => [each.type1, lowerEnd(each.type2)])));
    renyiChart.update(renyiOf(renyi.answer.points.map((each) => [each.order, each.divergence])));
    if (!charts.children.length) charts.replaceChildren(profileChart, tradeoffChart, renyiChart);
  }

  const explain = (error) => {
    const known = explainAt([delta], error, {focus: false});
    return editor.explain(error) || known;
  };
  const asking = newest((given, fast) => place.around((options) => answer(given, fast, options), explain), place.interrupt);
  // Quickly while a slider moves, with proof when it rests.
  const proveLater = later(350, (given) => asking(given, false));
  function update(given) {
    keep({parts: given, delta: delta.get()});
    if (!given.length) { result.replaceChildren(el('p', {class: 'card'}, 'Nothing was answered, so nothing is given away.')); charts.replaceChildren(); same.replaceChildren(); return; }
    asking(given, true);
    proveLater(given);
  }
  const editor = await partsEditor(state.parts?.length ? state.parts : usual, update);
  asking(editor.read(), false);
  return el('div', {}, el('h2', {}, 'What do several answers give away together?'),
    el('p', {class: 'lead'}, 'Add every mechanism that saw the data. Their losses are composed: no epsilon is split, and no rule of thumb is used.'),
    el('div', {class: 'columns'}, el('div', {class: 'card'}, el('h3', {}, 'Mechanisms'), editor.element),
      el('div', {}, el('div', {class: 'card narrow'}, delta.element), place.element, result, charts, same)));
}

// JSON is Python but for three words.
export const python = (value) => JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g, (text, word) => (word ? {true: 'True', false: 'False', null: 'None'}[word] : text));

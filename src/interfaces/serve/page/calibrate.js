// Calibrate and compare: a target in, noises side by side.
import {badge, copyable, el, later, short, table, upward} from './dom.js';
import {newest, run} from './ask.js';
import {form} from './form.js';
import {barChart} from './chart.js';
import {progressPlace} from './work.js';

const targetFields = [
  {name: 'epsilon', kind: 'number', help: 'privacy loss bound', required: true},
  {name: 'delta', kind: 'number', help: 'probability that it may fail', required: true},
  {name: 'sensitivity', kind: 'number', help: 'how far one record can move the answer', required: true},
  {name: 'dimension', kind: 'number', help: 'how many numbers an answer has', required: true},
  {name: 'count', kind: 'number', help: 'how many such answers, together under the target', required: true}];
const peopleFields = [
  {name: 'people', kind: 'number', help: 'how many there are', required: true},
  {name: 'spread', kind: 'number', help: 'standard deviation of what is measured', required: true},
  {name: 'width', kind: 'number', help: 'largest size of one person’s value', required: true}];

const named = (name) => name.replaceAll('_', ' ');

export async function calibratePage(state, keep) {
  const start = {epsilon: 1, delta: 1e-6, sensitivity: 1, dimension: 1, count: 1, people: 10000, spread: 12, width: 60, ...state};
  const out = el('div', {class: 'results', 'aria-live': 'polite'}), picture = el('div', {class: 'results'}), peopleOut = el('div', {class: 'results', 'aria-live': 'polite'});
  const place = progressPlace([out, picture]), peoplePlace = progressPlace([peopleOut]);
  const changed = () => { keep({...target.values(), ...people.values()}); soon(); };
  const target = form(targetFields, {values: start, onchange: changed});
  const people = form(peopleFields, {values: start, onchange: changed});

  const quietly = (which) => (error) => which.explain(error, {focus: false});
  const compare = newest(async () => {
    const given = target.values(), {epsilon, delta, sensitivity, dimension, count} = given;
    await Promise.all([
      place.around(async (options) => {
        const [reply, classical] = await Promise.all([run('compare', given, options), run('convert people', {epsilon, delta, people: 1, spread: 1, width: sensitivity}, options).catch(() => null)]);
        target.clear();
        showNoises(reply, count === 1 && dimension === 1 ? classical?.answer : null);
        await drawDensities(given, options);
      }, quietly(target)),
      peoplePlace.around(async (options) => {
        const worth = await run('convert people', {epsilon, delta, ...people.values()}, options);
        people.clear();
        showPeople(worth);
      }, (error) => people.explain(error, {focus: false}) || target.fields.some((each) => each.name === error.field))]);
  }, () => { place.interrupt(); peoplePlace.interrupt(); });

  function showNoises({answer: {mechanisms, left_out = [], recommendation}, command}, classical) {
    const old = classical?.points?.find((each) => each.noise === 'classical_gaussian');
    out.replaceChildren(el('div', {class: 'card hero'}, el('p', {}, el('strong', {}, recommendation), ' ', badge('proved')),
      el('p', {class: 'help'}, 'Every kind below meets the target: its delta is certified before it is shown.')),
    barChart({title: 'Mean squared error', axis: 'mean squared error of one answer', bars: [...mechanisms.map((each) => ({label: named(each.name), value: each.mean_squared_error})),
      ...(old ? [{label: 'classical gaussian', value: old.standard_deviation ** 2}] : [])]}),
    el('div', {class: 'card'}, table(['noise', 'parameters', 'mean squared error', 'less than Gaussian'],
      mechanisms.map((each) => [named(each.name), parameters(each.parameters), short(each.mean_squared_error, 6), `${short(each.gain_percent, 3)} %`]), [2, 3]),
    ...left_out.map((each) => el('p', {class: 'help'}, `${named(each.name)}: ${each.reason}`)),
    old ? el('p', {class: 'help'}, `The classical formula asks for a standard deviation of ${upward(old.standard_deviation, 6)}; it is proved for epsilon below 1 only.`) : null,
    copyable('Command', command)));
  }
  function showPeople(worth) {
    peopleOut.replaceChildren(el('p', {class: 'help'}, worth.words.split('\n').filter((line) => /^[A-Z]/.test(line)).join(' ')), table(['noise', 'standard deviation', 'error of the mean', 'people for the same precision', 'to add'],
      worth.answer.points.map((each) => [named(each.noise), short(each.standard_deviation), short(each.error), each.people_needed.toLocaleString('en'), each.people_added.toLocaleString('en')]), [1, 2, 3, 4]));
  }
  async function drawDensities({dimension, epsilon, delta, sensitivity}, options) {
    try {
      const reply = await run('plot radial', {dimension, epsilon, delta, sensitivity, output: '-'}, options);
      picture.replaceChildren(el('div', {class: 'card'}, el('h3', {}, 'How long the noise is'), el('img', {class: 'picture', src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(reply.picture)}`, alt: 'Density of the length of the noise, for each kind'})));
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      picture.replaceChildren();  // some targets have no such picture
    }
  }
  const soon = later(300, () => compare());
  compare();
  return el('div', {}, el('h2', {}, 'Which noise, and how much of it?'),
    el('p', {class: 'lead'}, 'All kinds of noise that meet the target, by their error. Each is calibrated to the target exactly, with a proof.'),
    el('div', {class: 'columns'}, el('div', {class: 'card'}, el('h3', {}, 'Target'), target.element),
      el('div', {}, place.element, out, picture,
        el('div', {class: 'card'}, el('h3', {}, 'What it costs in people'), el('p', {class: 'help'}, 'For a mean: how many people would have to be added to get the precision that there would be without noise.'),
          el('div', {class: 'row'}, people.fields.map((each) => each.element)), peoplePlace.element, peopleOut))));
}

const parameters = (given) => Object.entries(given).filter(([name]) => !['sensitivity', 'count', 'dimension'].includes(name))
  .map(([name, value]) => `${named(name)} ${name === 'beta' ? short(value, 6) : upward(value, 6)}`).join(', ');

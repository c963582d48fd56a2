// What it means: what somebody's best guess about a record becomes.
import {badge, el, later, lowerEnd, short, upperEnd, upward} from './dom.js';
import {newest, run} from './ask.js';
import {explainAt, field} from './form.js';
import {lineChart} from './chart.js';
import {descriptionOf, partsEditor} from './parts.js';
import {progressPlace} from './work.js';

const percent = (value) => `${short(100 * value, 3)} %`;

const testsOf = (points, alarms) => ({title: 'Every test there can be', x: {label: 'false alarms', low: 0, high: 1}, y: {label: 'misses, at least', low: 0, high: 1, down: true}, diagonal: true, marks: [{x: alarms}],
  series: [{label: 'misses', points}]});

export async function meaningPage(state, keep) {
  const parts = state.parts?.length ? state.parts : [{mechanism: 'approximate', epsilon: 1, delta: 1e-6}];
  const out = el('div', {class: 'results', 'aria-live': 'polite'}), place = progressPlace([out]);
  const changed = () => { keep({parts: editor.read(), prior: prior.get(), false_alarms: alarms.get()}); soon(); };
  const prior = field({name: 'prior', kind: 'number', help: 'how probable it is to the guesser, beforehand, that the person is in the data'}, {value: state.prior ?? 0.5, onchange: () => { slider.value = prior.get(); changed(); }});
  const slider = el('input', {type: 'range', min: 0.01, max: 0.99, step: 0.01, value: state.prior ?? 0.5, 'aria-label': 'Prior probability', oninput: () => { prior.set(Number(slider.value)); changed(); }});
  const alarms = field({name: 'false_alarms', kind: 'number', help: 'of a test: how often it accuses somebody who is not there'}, {value: state.false_alarms ?? 0.05, onchange: changed});

  const explain = (error) => {
    const known = explainAt([prior, alarms], error, {focus: false});
    return editor.explain(error) || known;
  };
  const update = newest(() => place.around(async (options) => {
    const given = editor.read();
    if (!given.length) { out.replaceChildren(el('p', {class: 'card'}, 'Nothing was released, so no guess becomes better.')); return; }
    const description = descriptionOf(given);
    const [{answer}, curve] = await Promise.all([run('meaning', {description, prior: prior.get() === undefined ? [] : [prior.get()], false_alarms: alarms.get()}, options),
      run('tradeoff', {description, type1: Array.from({length: 101}, (_, i) => i / 100)}, options)]);
    [prior, alarms, editor].forEach((each) => (each.clear ?? (() => each.show(null)))());
    show(answer, curve.answer.points);
  }, explain), place.interrupt);
  const tests = lineChart(testsOf([], 0));
  function show(answer, points) {
    const blind = answer.right_without, right = upperEnd(answer.right_with);
    tests.update(testsOf(points.map((each) => [each.type1, lowerEnd(each.type2)]), answer.false_alarms));
    const before = Math.floor(100 * blind + 1e-9), after = Math.ceil(100 * right - 1e-9);
    out.replaceChildren(
      el('div', {class: 'card'}, el('h3', {}, 'A hundred people, a guess about each'),
        el('p', {}, 'Without the release the best guess is right about ', el('strong', {}, percent(blind)), ' of them; with it about ',
          el('strong', {id: 'right'}, `${upward(100 * right)} %`), ' at most. ', badge(answer.proof)),
        el('div', {class: 'people', role: 'img', 'aria-label': `${before} of 100 guessed right without the release, at most ${after} with it`},
          Array.from({length: 100}, (_, i) => el('i', {class: i < before ? 'blind' : i < after ? 'told' : null}))),
        el('p', {class: 'help'}, el('span', {class: 'swatch blind'}), `right anyway (${before})  `, el('span', {class: 'swatch told'}), `right because of the release (at most ${Math.max(0, after - before)})  `,
          el('span', {class: 'swatch'}), `still wrong (at least ${100 - Math.max(before, after)})`)),
      el('div', {class: 'card'}, el('h3', {}, 'After an alarm'),
        el('p', {}, `A test that accuses ${percent(answer.false_alarms)} of those who are not there finds at most `, el('strong', {}, `${upward(100 * upperEnd(answer.found))} %`),
          ' of those who are. A person accused by it was there with probability ', el('strong', {}, `${upward(100 * upperEnd(answer.belief))} %`), ` at most; before, that was ${percent(answer.prior)}.`)),
      tests,
      el('p', {class: 'help'}, 'The guesser knows everybody else’s data and has unlimited time.'));
  }
  const soon = later(60, () => update());
  const editor = await partsEditor(parts, changed);
  update();
  return el('div', {}, el('h2', {}, 'What does a guarantee mean for one person?'),
    el('p', {class: 'lead'}, 'Exactly how much better an attacker’s best guess can become, from the trade-off between false alarms and misses.'),
    el('div', {class: 'columns'}, el('div', {}, el('div', {class: 'card'}, prior.element, slider, alarms.element), el('div', {class: 'card'}, el('h3', {}, 'What was released'), editor.element)), el('div', {}, place.element, out)));
}

// Audit: is a claim true? Of a certificate, of a description, of a paper.
import {badge, copyable, el, lowerEnd, short, table, upperEnd, upward} from './dom.js';
import {run} from './ask.js';
import {field} from './form.js';
import {lineChart} from './chart.js';
import {progressPlace} from './work.js';

const verdictBadge = (verdict) => el('span', {class: `badge ${/violat/.test(verdict) ? 'violated' : /hold|consistent|true/.test(verdict) ? 'proved' : 'estimated'}`}, verdict);
const spaced = (low, high, n) => Array.from({length: n}, (_, i) => low + (high - low) * i / (n - 1));

export async function auditPage(state, keep) {
  const place = progressPlace(), out = el('div', {'aria-live': 'polite'}), gallery = el('div', {}), shownClaim = el('div', {'aria-live': 'polite'});
  const problem = el('span', {class: 'error', role: 'alert'});
  const text = el('textarea', {'aria-label': 'Certificate or description in JSON', spellcheck: 'false'}, state.text ?? '{"mechanism": "gaussian", "standard_deviation": 4.2, "sensitivity": 1}');
  const epsilon = field({name: 'epsilon', kind: 'number', help: 'claimed; a certificate brings its own'}, {value: state.epsilon ?? 1});
  const delta = field({name: 'delta', kind: 'number', help: 'claimed'}, {value: state.delta ?? 1e-6});
  const take = (content) => { text.value = content; check(); };
  const drop = el('div', {class: 'drop',
    ondragover: (event) => { event.preventDefault(); drop.classList.add('over'); },
    ondragleave: () => drop.classList.remove('over'),
    ondrop: async (event) => { event.preventDefault(); drop.classList.remove('over'); take(await event.dataTransfer.files[0].text()); }},
  text, problem, el('label', {class: 'field'}, ' or a file: ', el('input', {type: 'file', accept: '.json', onchange: async (event) => { if (event.target.files[0]) take(await event.target.files[0].text()); }})));

  async function check() {
    problem.textContent = '';
    let given;
    try { given = JSON.parse(text.value); } catch (error) { problem.textContent = `This is not JSON: ${error.message}`; out.replaceChildren(); return; }
    if (given === null || typeof given !== 'object') { problem.textContent = 'This is neither a certificate nor a description.'; out.replaceChildren(); return; }
    let description = given;
    if (given.loss && given.target) {
      description = given.loss;
      if (given.target.epsilon !== undefined) epsilon.set(given.target.epsilon);
      if (given.target.delta !== undefined) delta.set(given.target.delta);
    }
    keep({text: text.value, epsilon: epsilon.get(), delta: delta.get()});
    const explain = (error) => {
      const at = [epsilon, delta].find((each) => each.name === error.field);
      if (at) at.show(error.message); else problem.textContent = error.message;
      return true;
    };
    const reply = await place.around((options) => run('audit pair', {description, epsilon: epsilon.get(), delta: delta.get()}, options), explain);
    if (!reply) { out.replaceChildren(); return; }
    epsilon.show(null); delta.show(null);
    const range = Math.max(2 * (epsilon.get() || 1), 0.5);
    const curve = await place.around((options) => run('profile', {description, epsilon: spaced(0, range, 33)}, options), explain);
    out.replaceChildren(el('div', {class: 'card'}, el('h3', {}, 'Verdict ', verdictBadge(reply.answer.verdict)),
      el('p', {}, 'At this epsilon delta is at most ', el('strong', {id: 'verdict-delta'}, upward(upperEnd(reply.answer.delta), 6)), ' ', badge(reply.answer.proof)), el('pre', {tabindex: 0}, reply.words), copyable('Command', reply.command)),
    ...(curve ? [lineChart({title: 'What is true', x: {label: 'epsilon', low: 0}, y: {label: 'delta', log: true}, marks: [{x: epsilon.get()}, {y: delta.get()}],
      series: [{label: 'true', points: curve.answer.points.map((each) => [each.epsilon, upperEnd(each.delta)])}]})] : []));
  }

  async function showClaim(name) {
    const reply = await place.around((options) => run('audit claim', {claim: name}, options));
    if (!reply) return;
    const cases = (reply.answer.cases ?? []).filter((each) => each.delta);
    const points = cases.filter((each) => Number.isFinite(each.epsilon) && Number.isFinite(each.claimed_delta));
    shownClaim.replaceChildren(el('div', {class: 'card'}, el('h3', {}, name, ' ', verdictBadge(reply.answer.verdict)), el('p', {}, reply.answer.claim), el('pre', {tabindex: 0}, reply.words),
      points.length > 1 ? lineChart({title: 'Claimed and true', x: {label: 'epsilon'}, y: {label: 'delta', log: true}, series: [
        {label: 'true, at least', points: points.map((each) => [each.epsilon, lowerEnd(each.delta)])}, {label: 'claimed', points: points.map((each) => [each.epsilon, each.claimed_delta])}]}) : null));
    shownClaim.scrollIntoView({behavior: 'smooth', block: 'nearest'});
  }
  async function fillGallery() {
    const reply = await place.around((options) => run('audit claim', {}, options));
    if (reply) gallery.replaceChildren(table(['claim', ''], reply.answer.claims.map((each) => [each.claim, el('button', {class: 'small', type: 'button', onclick: () => showClaim(each.name), 'aria-label': `Check ${each.name}`}, 'Check')])));
  }
  fillGallery();
  return el('div', {}, el('h2', {}, 'Is a privacy claim true?'), el('p', {class: 'lead'}, 'Drop a certificate or a description here, or look at claims of published papers beside the truth.'),
    el('div', {class: 'columns'}, el('div', {class: 'card'}, drop, el('div', {class: 'row'}, epsilon.element, delta.element), el('button', {type: 'button', class: 'main', onclick: check}, 'Audit')),
      el('div', {}, place.element, out, el('div', {class: 'card'}, el('h3', {}, 'Published claims'), gallery), shownClaim)));
}

// Audit: is a claim true? Of a certificate, of a description, of a paper.
import {badge, copyable, el, lowerEnd, upperEnd, upward} from './dom.js';
import {run} from './ask.js';
import {explainAt, field, spot} from './form.js';
import {lineChart} from './chart.js';
import {progressPlace} from './work.js';

const verdictBadge = (verdict) => el('span', {class: `badge ${/violat/.test(verdict) ? 'violated' : /hold|consistent|true/.test(verdict) ? 'proved' : 'estimated'}`}, verdict);
const spaced = (low, high, n) => Array.from({length: n}, (_, i) => low + (high - low) * i / (n - 1));

export async function auditPage(state, keep) {
  const out = el('div', {class: 'results', 'aria-live': 'polite'}), gallery = el('div', {}), shownClaim = el('div', {class: 'results', 'aria-live': 'polite'});
  const place = progressPlace([out]), galleryPlace = progressPlace([shownClaim]);
  const text = el('textarea', {'aria-label': 'Certificate or description in JSON', spellcheck: 'false'}, state.text ?? '{"mechanism": "gaussian", "standard_deviation": 4.2, "sensitivity": 1}');
  const epsilon = field({name: 'epsilon', kind: 'number', help: 'claimed; a certificate brings its own'}, {value: state.epsilon ?? 1});
  const delta = field({name: 'delta', kind: 'number', help: 'claimed'}, {value: state.delta ?? 1e-6});
  const textSpot = spot('description', {label: 'Certificate, description or pair', help: 'as JSON; drop a file here'}, text);
  const take = (content) => { text.value = content; check(); };
  const drop = el('div', {class: 'drop',
    ondragover: (event) => { event.preventDefault(); drop.classList.add('over'); },
    ondragleave: () => drop.classList.remove('over'),
    ondrop: async (event) => { event.preventDefault(); drop.classList.remove('over'); take(await event.dataTransfer.files[0].text()); }},
  textSpot.element, el('div', {class: 'field'}, el('label', {}, 'or a file', el('input', {type: 'file', accept: '.json', onchange: async (event) => { if (event.target.files[0]) take(await event.target.files[0].text()); }}))));

  // A certificate has a loss and a target; a claim has epsilon and delta beside its description.
  function claimIn(given) {
    const target = given.loss && given.target ? given.target : given;
    if (target.epsilon !== undefined && given.mechanism === undefined) epsilon.set(target.epsilon);
    else if (given.loss && given.target) epsilon.set(target.epsilon);
    if (target.delta !== undefined && (given.loss || given.mechanism === undefined)) delta.set(target.delta);
    return given.loss ?? given.description ?? given;
  }
  async function check() {
    const places = [textSpot, epsilon, delta];
    places.forEach((each) => each.show(null));
    out.replaceChildren();
    let given;
    try { given = JSON.parse(text.value); } catch (error) { textSpot.show(`This is not JSON: ${error.message}`); return; }
    if (given === null || typeof given !== 'object' || Array.isArray(given)) { textSpot.show('This is neither a certificate nor a description.'); return; }
    const description = claimIn(given);
    keep({text: text.value, epsilon: epsilon.get(), delta: delta.get()});
    const explain = (error) => explainAt(places, error.field ? error : {field: 'description', message: error.message});
    await place.around(async (options) => {
      const reply = await run('audit pair', {description, epsilon: epsilon.get(), delta: delta.get()}, options);
      const range = Math.max(2 * (epsilon.get() || 1), 0.5);
      const curve = await run('profile', {description, epsilon: spaced(0, range, 33)}, options);
      out.replaceChildren(el('div', {class: 'card hero'}, el('h3', {}, 'Verdict ', verdictBadge(reply.answer.verdict)),
        el('p', {}, `At epsilon ${epsilon.get()} the true delta is at most `, el('strong', {id: 'verdict-delta'}, upward(upperEnd(reply.answer.delta), 6)), `; claimed is ${delta.get()}. `, badge(reply.answer.proof)),
        el('details', {}, el('summary', {}, 'All of it'), el('pre', {tabindex: 0}, reply.words), copyable('Command', reply.command))),
      lineChart({title: 'What is true', x: {label: 'epsilon', low: 0}, y: {label: 'delta, at most', log: true}, marks: [{x: epsilon.get()}, {y: delta.get()}],
        series: [{label: 'true', points: curve.answer.points.map((each) => [each.epsilon, upperEnd(each.delta)])}]}));
    }, explain);
  }

  async function showClaim(name) {
    const reply = await galleryPlace.around((options) => run('audit claim', {claim: name}, options));
    if (!reply) return;
    const cases = (reply.answer.cases ?? []).filter((each) => each.delta);
    const points = cases.filter((each) => Number.isFinite(each.epsilon) && Number.isFinite(each.claimed_delta));
    shownClaim.replaceChildren(el('div', {class: 'card hero'}, el('h3', {}, name, ' ', verdictBadge(reply.answer.verdict)), el('p', {}, reply.answer.claim), el('pre', {tabindex: 0}, reply.words)),
      points.length > 1 ? lineChart({title: 'Claimed and true', x: {label: 'epsilon'}, y: {label: 'delta', log: true}, series: [
        {label: 'true, at least', points: points.map((each) => [each.epsilon, lowerEnd(each.delta)])}, {label: 'claimed', points: points.map((each) => [each.epsilon, each.claimed_delta])}]}) : '');
    shownClaim.scrollIntoView({behavior: 'smooth', block: 'nearest'});
  }
  async function fillGallery() {
    const reply = await galleryPlace.around((options) => run('audit claim', {}, options));
    if (reply) gallery.replaceChildren(el('ul', {class: 'gallery'}, reply.answer.claims.map((each) => el('li', {}, el('span', {}, each.claim), el('button', {class: 'small', type: 'button', onclick: () => showClaim(each.name), 'aria-label': `Check ${each.name}`}, 'Check')))));
  }
  fillGallery();
  return el('div', {}, el('h2', {}, 'Is a privacy claim true?'), el('p', {class: 'lead'}, 'Drop a certificate or a description here, or look at claims of published papers beside the truth.'),
    el('div', {class: 'columns'}, el('div', {class: 'card'}, drop, el('div', {class: 'row'}, epsilon.element, delta.element), el('button', {type: 'button', class: 'main', onclick: check}, 'Audit')),
      el('div', {}, place.element, out, el('div', {class: 'card'}, el('h3', {}, 'Published claims'), el('p', {class: 'help'}, 'Formulas of papers, recomputed: claimed against true.'), gallery, galleryPlace.element), shownClaim)));
}

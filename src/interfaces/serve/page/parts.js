// The editor of a list of mechanisms, which composed make a description. An error is shown at the
// key of the mechanism that it names.
import {el, newId} from './dom.js';
import {forms} from './ask.js';
import {explainAt, field, form, spot} from './form.js';

// The common mechanisms first; those whose keys no form can hold go by JSON.
const common = ['gaussian', 'laplace', 'subsampled_gaussian', 'discrete_gaussian', 'discrete_laplace', 'randomized_response', 'gaussian_dp', 'pure', 'approximate', 'zcdp'];
const simple = (mechanism) => mechanism.fields.every((each) => each.kind !== 'list' && !each.file);
const examples = {standard_deviation: 4, sensitivity: 1, scale: 2, sampling_rate: 0.01, sigma: 4, truth_probability: 0.75, mu: 0.5, epsilon: 0.1, delta: 1e-7, rho: 0.01, range: 0.1,
  columns: 300, leverage: 0.02, row_leverage: 0.015, full_leverage: 0.03, dimension: 3, features: 10, alpha: 2, beta: 0.5, p: 1, lipschitz: 1, smoothness: 0.25, regularization: 10};
// Keys that may be left out, and are asked all the same.
const asked = new Set(['standard_deviation', 'sensitivity', 'sampling', 'adjacency', 'loss']);
const byJson = 'json';
const first = {mechanism: 'gaussian', standard_deviation: 4, sensitivity: 1, count: 10};

export const descriptionOf = (parts) => (parts.length === 1 ? parts[0] : {compose: parts});

function formOf(mechanism, values, onchange) {
  const noise = mechanism.fields.some((each) => each.name === 'standard_deviation') ? {standard_deviation: 4, sensitivity: 1} : {};
  const start = Object.fromEntries(mechanism.fields.filter((each) => each.required).map((each) => [each.name, values[each.name] ?? each.default ?? examples[each.name] ?? 1]));
  const first = (each) => each.required || asked.has(each.name) || values[each.name] !== undefined;
  const rest = mechanism.fields.filter((each) => !first(each));
  const own = form(mechanism.fields.filter(first), {values: {...noise, ...start, ...values}, onchange});
  const more = form(rest, {onchange});
  return {element: el('div', {}, own.element, rest.length ? el('details', {}, el('summary', {}, 'More'), more.element) : null),
    fields: [...own.fields, ...more.fields], values: () => ({...own.values(), ...more.values()})};
}

// A mechanism that is told in JSON.
function jsonOf(given, onchange) {
  const text = el('textarea', {'aria-label': 'Description in JSON', spellcheck: 'false', oninput: onchange}, JSON.stringify(given, null, 1));
  const place = spot('json', {help: 'a description, as the command line takes it'}, text);
  return {element: place.element, fields: [place], values: () => {
    try { return JSON.parse(text.value); } catch { return text.value; }
  }};
}

export async function partsEditor(parts, changed) {
  const {mechanisms} = await forms();
  const usable = mechanisms.filter(simple);
  const rank = (each) => (common.includes(each.name) ? common.indexOf(each.name) : common.length);
  usable.sort((a, b) => rank(a) - rank(b));
  const list = el('div', {});
  let editors = [];
  const read = () => editors.map((each) => each.read());
  const tell = () => changed(read());

  const addPart = (given) => {
    const body = el('div', {});
    let own = null;
    const select = el('select', {'aria-label': 'Mechanism', onchange: () => { fillIn({}); tell(); }},
      usable.map((each) => el('option', {value: each.name}, each.name.replaceAll('_', ' '))), el('option', {value: byJson}, 'any, as JSON'));
    select.value = given.mechanism === undefined || usable.some((each) => each.name === given.mechanism) ? given.mechanism ?? byJson : byJson;
    const remove = el('button', {class: 'small', type: 'button', 'aria-label': 'Remove this mechanism', onclick: () => {
      editors = editors.filter((each) => each !== editor);
      place.remove();
      tell();
    }}, '×');
    const count = field({name: 'count', kind: 'number', help: 'how often it is used'}, {value: given.count ?? 1, onchange: () => { slider.value = Math.log10(count.get() || 1); tell(); }});
    const slider = el('input', {type: 'range', min: 0, max: 5, step: 0.01, value: Math.log10(given.count ?? 1), 'aria-label': 'How often, on a logarithmic scale',
      oninput: () => { count.set(Math.round(10 ** slider.value)); tell(); }});
    const often = el('div', {}, count.element, slider);
    function fillIn(values) {
      const mechanism = usable.find((each) => each.name === select.value);
      own = mechanism ? formOf(mechanism, values, tell) : jsonOf(values.mechanism || values.compose ? values : {mechanism: 'gaussian_spectrum', components: [{mean: 0.1, variance_ratio: 1.2, multiplicity: 3}]}, tell);
      often.hidden = !mechanism;
      body.replaceChildren(own.element);
    }
    const place = el('div', {class: 'part', role: 'group', 'aria-label': 'Mechanism', id: newId()}, el('div', {class: 'top'}, select, remove), body, often);
    const editor = {
      read: () => {
        if (select.value === byJson) return own.values();
        const repeated = count.get();
        return {mechanism: select.value, ...own.values(), ...(repeated === undefined || repeated === 1 ? {} : {count: repeated})};
      },
      places: () => [...own.fields, count],
      // Of a key that has no field of its own: the first one.
      show: (key, message) => {
        const places = editor.places(), known = places.some((each) => each.name === key);
        return explainAt(places, {field: known ? key : places[0].name, message}, {focus: false});
      },
      clear: () => editor.places().forEach((each) => each.show(null)),
    };
    fillIn(given);
    list.append(place);
    editors.push(editor);
  };
  parts.forEach(addPart);
  const more = el('button', {type: 'button', id: 'add-mechanism', onclick: () => { addPart(first); tell(); }}, 'Add a mechanism');
  const clear = () => editors.forEach((each) => each.clear());
  return {element: el('div', {}, list, more), read, clear,
    // Whether the error is about one of the parts: "compose[1].scale", or "scale" where there is one.
    explain: (error) => {
      clear();
      if (error.field !== 'description' || !editors.length) return false;
      const found = /^(?:compose\[(\d+)\]\.?)?(\w*)/.exec(error.at ?? '');
      const editor = editors[found[1] === undefined ? 0 : Number(found[1])];
      return (found[1] !== undefined || editors.length === 1) && editor !== undefined && editor.show(found[2], error.message);
    }};
}

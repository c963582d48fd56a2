// Forms made from the tables of the program: what the command line asks, a page asks, too. An error
// is shown at its field.
import {el, newId} from './dom.js';

const words = (name) => name.replaceAll('_', ' ');

// One field: {element, get, set, show}. get() is undefined where nothing was given.
export function field(description, {label, value, onchange, placeholder} = {}) {
  const id = newId(), note = newId(), problem = el('span', {class: 'error', role: 'alert', id: newId()});
  const {kind, name, help = '', required} = description;
  const common = {id, name, 'aria-describedby': `${note} ${problem.id}`, onchange, placeholder};
  let input, get;
  if (kind === 'flag') {
    input = el('input', {...common, type: 'checkbox'});
    get = () => (input.checked ? true : undefined);
  } else if (kind === 'word') {
    input = el('select', common, el('option', {value: ''}, required ? 'choose' : 'by default'),
      description.words.map((word) => el('option', {value: word}, words(word))));
    get = () => input.value || undefined;
  } else if (kind === 'number') {
    input = el('input', {...common, inputmode: 'decimal', autocomplete: 'off', oninput: onchange});
    get = () => numberIn(input.value);
  } else if (kind === 'numbers') {
    input = el('input', {...common, autocomplete: 'off', oninput: onchange});
    get = () => listIn(input.value)?.map(numberIn);
  } else if (kind === 'texts' || (kind === 'input' && description.several)) {
    input = el('input', {...common, autocomplete: 'off', oninput: onchange});
    get = () => listIn(input.value);
  } else if (kind === 'range') {
    input = el('input', {...common, placeholder: 'low:high', oninput: onchange});
    get = () => rangeIn(input.value);
  } else if (kind === 'ranges') {
    input = el('input', {...common, placeholder: 'column=low:high, …', oninput: onchange});
    get = () => rangesIn(input.value);
  } else if (kind === 'list') {
    input = el('input', {...common, placeholder: '[…]', oninput: onchange});
    get = () => jsonIn(input.value);
  } else {
    input = el('input', {...common, autocomplete: 'off', oninput: onchange});
    get = () => input.value.trim() || undefined;
  }
  const set = (given) => {
    if (given === undefined || given === null) return;
    if (kind === 'flag') input.checked = given;
    else if (kind === 'range') input.value = Array.isArray(given) ? given.join(':') : given;
    else if (Array.isArray(given)) input.value = kind === 'list' ? JSON.stringify(given) : given.join(', ');
    else if (typeof given === 'object') input.value = Object.entries(given).map(([k, r]) => `${k}=${r.join(':')}`).join(', ');
    else input.value = written(given);
  };
  set(value ?? description.default);
  const title = label ?? words(name);
  const element = el('div', {class: `field ${kind === 'flag' ? 'flag' : ''}`, 'data-field': name},
    kind === 'flag' ? el('label', {for: id}, input, ' ', title) : el('label', {for: id}, title),
    el('span', {class: 'help', id: note}, firstLine(help, description.words)), kind === 'flag' ? null : input, problem);
  return {name, element, input, get, set, show: shower(problem, [input])};
}

const shower = (problem, inputs) => (message) => {
  problem.textContent = message ?? '';
  for (const input of inputs) {
    if (message) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
};

// A place on a page that is made by hand, with room for its error: {name, element, input, show}.
export function spot(name, {label, help}, ...inputs) {
  const problem = el('span', {class: 'error', role: 'alert', id: newId()}), note = newId();
  for (const input of inputs) {
    if (!input.id) input.id = newId();
    input.setAttribute('aria-describedby', help ? `${note} ${problem.id}` : problem.id);
  }
  const element = el('div', {class: 'field', 'data-field': name}, label ? el('label', {for: inputs[0].id}, label) : null,
    help ? el('span', {class: 'help', id: note}, help) : null, inputs.length > 1 ? el('div', {class: 'row'}, inputs) : inputs, problem);
  return {name, element, input: inputs[0], show: shower(problem, inputs)};
}

// Shows an error at the one of the places that it names, and nowhere else. Whether there is one.
// Who is typing somewhere keeps the focus.
export function explainAt(places, error, {focus = true} = {}) {
  places.forEach((each) => each.show(null));
  const at = places.find((each) => each.name === error.field);
  if (!at) return false;
  at.show(error.message);
  for (let each = at.element.closest('details'); each; each = each.parentElement.closest('details')) each.open = true;
  if (focus) at.input.focus();
  return true;
}

// 0.000001 is hard to read.
const written = (value) => (typeof value === 'number' && value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential().replace('e+', 'e') : value);
// Lines of choices are in the list of words already.
const firstLine = (help, words = []) => help.split('\n').filter((line) => !words.some((word) => line.startsWith(`${word}:`))).slice(0, 2).join(' ').replace(/\s+/g, ' ');
const listIn = (text) => {
  const parts = text.split(',').map((each) => each.trim()).filter((each) => each !== '');
  return parts.length ? parts : undefined;
};
// What is no number is sent as it is: the program says what is wrong with it.
const numberIn = (text) => {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : trimmed;
};
const rangeIn = (text) => {
  if (text.trim() === '') return undefined;
  return text.split(':').map(numberIn).map((each) => each ?? '');
};
const rangesIn = (text) => {
  const parts = listIn(text);
  return parts && Object.fromEntries(parts.map((part) => {
    const at = part.lastIndexOf('=');
    return [part.slice(0, at), rangeIn(part.slice(at + 1))];
  }));
};
const jsonIn = (text) => {
  if (text.trim() === '') return undefined;
  try { return JSON.parse(text); } catch { return text; }
};

// Several fields in one form: {element, values, setAll, explain}.
export function form(descriptions, {values = {}, labels = {}, onchange} = {}) {
  const fields = descriptions.map((each) => field(each, {label: labels[each.name], value: values[each.name], onchange}));
  const required = new Set(descriptions.filter((each) => each.required).map((each) => each.name));
  const standard = new Map(descriptions.map((each) => [each.name, each.default]));
  const same = (a, b) => b !== undefined && String(a) === String(b);
  return {
    fields,
    element: el('div', {}, fields.map((each) => each.element)),
    // What was given; what may be left out and stands as it was is left out.
    values: () => Object.fromEntries(fields.map((each) => [each.name, each.get()])
      .filter(([name, value]) => value !== undefined && (required.has(name) || !same(value, standard.get(name))))),
    clear: () => fields.forEach((each) => each.show(null)),
    // Whether the message has found its field.
    explain: (error, options) => explainAt(fields, error, options),
  };
}

// Elements of a page, made in one expression. Text is always text, never markup.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  return fill(element, properties, children);
}

export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return fill(element, properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

let last = 0;
export const newId = () => `e${++last}`;

// Calls it when nothing has happened for a while.
export function later(milliseconds, action) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

// The file, for the browser to keep.
export function keepFile(name, content) {
  const link = el('a', {href: URL.createObjectURL(content), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A number for people: few digits, and never rounded to nothing.
export function short(value, digits = 4) {
  if (value === null || value === undefined) return '—';
  if (typeof value !== 'number') return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

// Privacy numbers are rounded to the safe side: what is at most upwards, what is at least downwards.
function rounded(value, digits, up) {
  if (!Number.isFinite(value) || value === 0) return short(value, digits);
  let near = Number(value.toPrecision(digits));
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  if (up ? near < value : near > value) near = Number((near + (up ? unit : -unit)).toPrecision(digits));
  return short(near, digits);
}
export const upward = (value, digits = 4) => rounded(value, digits, true);
export const downward = (value, digits = 4) => rounded(value, digits, false);

export const upperEnd = (value) => (value !== null && typeof value === 'object' ? value.upper : value);
export const lowerEnd = (value) => (value !== null && typeof value === 'object' ? value.lower : value);

export function badge(proof) {
  const proved = proof === 'certified' || proof === 'proved';
  return el('span', {class: `badge ${proved ? 'proved' : 'estimated'}`}, proved ? 'proved' : proof && proof !== 'estimated' ? proof : 'estimated');
}

export function table(heading, rows, numeric = []) {
  const cell = (tag, content, i) => el(tag, {class: numeric.includes(i) ? 'n' : null, scope: tag === 'th' ? 'col' : null}, content);
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table'},
    el('table', {}, el('thead', {}, el('tr', {}, heading.map((each, i) => cell('th', each, i)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map((each, i) => cell('td', each, i)))))));
}

export function copyable(title, text) {
  const button = el('button', {class: 'small', type: 'button', onclick: async () => {
    try { await navigator.clipboard.writeText(text); button.textContent = 'Copied'; } catch { getSelection().selectAllChildren(content); button.textContent = 'Press Ctrl-C'; }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  }}, 'Copy');
  const content = el('pre', {class: 'wrapped', tabindex: 0}, text);
  return el('div', {class: 'copyable'}, el('div', {class: 'row between'}, el('strong', {}, title), button), content);
}

// Line charts and bars with whiskers, as SVG, each with its numbers in a table behind it.
import {downward, el, svg, short, table, upward} from './dom.js';

// Bounds are rounded to their side.
const told = (axis, value, digits) => (value === null || value === undefined ? short(value) : (axis.down ? downward : upward)(value, digits));

const width = 520, height = 330, left = 64, right = 14, top = 14, bottom = 46;

function linearTicks(low, high) {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? 10 * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) ticks.push(i * step);
  return ticks;
}

function logTicks(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 6)), ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(10 ** power);
  return ticks.length >= 2 ? ticks : [low, high];
}

function scale(axis, values, from, to) {
  const log = axis.log, usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  let low = axis.low ?? Math.min(...usable), high = axis.high ?? Math.max(...usable);
  if (!usable.length && (axis.low === undefined || axis.high === undefined)) { low = log ? 0.1 : 0; high = 1; }
  if (!(high > low)) { low = log ? low / 2 : low - 0.5; high = log ? high * 2 : high + 0.5; }
  const place = log ? Math.log : (v) => v, a = place(low), b = place(high);
  const at = (v) => from + (to - from) * (Math.min(Math.max(place(Math.max(v, log ? low * 1e-3 : v)), a), b) - a) / (b - a);
  return {at, low, high, ticks: log ? logTicks(low, high) : linearTicks(low, high),
    back: (p) => { const v = a + (b - a) * (p - from) / (to - from); return log ? Math.exp(v) : v; }};
}

function frame(picture, x, y, xAxis, yAxis) {
  for (const tick of y.ticks) {
    picture.append(svg('line', {class: 'grid', x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick)}),
      svg('text', {x: left - 7, y: y.at(tick) + 4, 'text-anchor': 'end'}, short(tick, 3)));
  }
  for (const tick of x.ticks) {
    picture.append(svg('line', {class: 'grid', y1: top, y2: height - bottom, x1: x.at(tick), x2: x.at(tick)}),
      svg('text', {x: x.at(tick), y: height - bottom + 17, 'text-anchor': 'middle'}, short(tick, 3)));
  }
  picture.append(svg('rect', {class: 'frame', x: left, y: top, width: width - left - right, height: height - top - bottom}),
    svg('text', {class: 'axis-label', x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle'}, xAxis.label),
    svg('text', {class: 'axis-label', x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`}, yAxis.label));
}

// series: [{label, points: [[x, y]]}]; marks: [{x} or {y}]; diagonal: the curve that reveals nothing
export function lineChart({title, x: xAxis, y: yAxis, series, marks = [], diagonal = false}) {
  const all = series.flatMap((each) => each.points);
  const x = scale(xAxis, all.map((p) => p[0]), left, width - right);
  const y = scale(yAxis, all.map((p) => p[1]), height - bottom, top);
  const picture = svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: ${yAxis.label} against ${xAxis.label}. The numbers are in the table below.`});
  frame(picture, x, y, xAxis, yAxis);
  if (diagonal) picture.append(svg('path', {class: 'reference', d: `M${x.at(0)} ${y.at(1)}L${x.at(1)} ${y.at(0)}`}));
  series.forEach((each, i) => {
    let line = '';
    let open = false;
    for (const [px, py] of each.points) {
      const fits = Number.isFinite(px) && Number.isFinite(py) && (!yAxis.log || py > 0);
      if (fits) line += `${open ? 'L' : 'M'}${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
      open = fits;
    }
    picture.append(svg('path', {class: `curve c${i % 5 + 1}`, d: line || 'M0 0'}));
  });
  for (const mark of marks) {
    picture.append(mark.x !== undefined
      ? svg('path', {class: 'mark', d: `M${x.at(mark.x)} ${top}V${height - bottom}`})
      : svg('path', {class: 'mark', d: `M${left} ${y.at(mark.y)}H${width - right}`}));
  }
  follow(picture, x, y, series, xAxis, yAxis);
  const legend = series.length < 2 ? null : el('p', {class: 'help'}, series.map((each, i) => {
    const swatch = svg('svg', {width: 26, height: 8, 'aria-hidden': 'true'}, svg('path', {class: `curve c${i % 5 + 1}`, d: 'M0 4H26'}));
    return el('span', {}, swatch, ` ${each.label}  `);
  }));
  const rows = series.flatMap((each) => each.points.map(([px, py]) => [each.label, short(px, 5), told(yAxis, py, 5)]));
  return el('figure', {class: 'card', style: null}, el('h3', {}, title), picture, legend,
    el('details', {}, el('summary', {}, 'Numbers'), table(['', xAxis.label, yAxis.label], rows, [1, 2])));
}

// What the pointer points at.
function follow(picture, x, y, series, xAxis, yAxis) {
  const cursor = svg('line', {class: 'cursor', y1: top, y2: height - bottom, visibility: 'hidden'});
  const words = svg('text', {y: top + 14, class: 'axis-label', visibility: 'hidden'});
  picture.append(cursor, words);
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const place = (event.clientX - box.left) * width / box.width;
    const points = series[0]?.points ?? [];
    if (place < left || place > width - right || !points.length) return;
    const nearest = points.reduce((best, each) => Math.abs(x.at(each[0]) - place) < Math.abs(x.at(best[0]) - place) ? each : best);
    const at = x.at(nearest[0]), beyond = at > width / 2;
    cursor.setAttribute('x1', at); cursor.setAttribute('x2', at);
    words.setAttribute('x', at + (beyond ? -6 : 6));
    words.setAttribute('text-anchor', beyond ? 'end' : 'start');
    words.textContent = `${xAxis.short ?? xAxis.label} ${short(nearest[0])}: ${told(yAxis, nearest[1], 4)}`;
    for (const each of [cursor, words]) each.setAttribute('visibility', 'visible');
  });
  picture.addEventListener('pointerleave', () => { for (const each of [cursor, words]) each.setAttribute('visibility', 'hidden'); });
}

// bars: [{label, value, lower, upper}]
export function barChart({title, y: yAxis, bars}) {
  const values = bars.flatMap((b) => [b.value, b.lower ?? b.value, b.upper ?? b.value, 0]);
  const highest = Math.max(...values), lowest = Math.min(...values), above = 0.06 * (highest - lowest);
  const y = scale({high: highest > 0 ? highest + above : 0, low: lowest < 0 ? lowest - above : 0, ...yAxis}, values, height - bottom, top);
  const picture = svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}. The numbers are in the table below.`});
  const room = (width - left - right) / Math.max(1, bars.length);
  frame(picture, {ticks: [], at: () => 0}, y, {label: ''}, yAxis);
  bars.forEach((bar, i) => {
    const middle = left + room * (i + 0.5), thick = Math.min(46, room * 0.6), base = y.at(0);
    picture.append(svg('rect', {class: 'bar', x: middle - thick / 2, width: thick, y: Math.min(base, y.at(bar.value)), height: Math.abs(base - y.at(bar.value))}));
    if (bar.lower !== null && bar.lower !== undefined && bar.upper !== null)
      picture.append(svg('path', {class: 'whisker', d: `M${middle - 6} ${y.at(bar.lower)}h12M${middle} ${y.at(bar.lower)}V${y.at(bar.upper)}M${middle - 6} ${y.at(bar.upper)}h12`}));
    if (bars.length <= 16) {
      const most = Math.max(3, Math.floor(room / 6.4));
      const label = bar.label.length > most ? `${bar.label.slice(0, most - 1)}…` : bar.label;
      picture.append(svg('text', {x: middle, y: height - bottom + 17, 'text-anchor': 'middle'}, label, svg('title', {}, bar.label)));
    }
  });
  return el('figure', {class: 'card'}, el('h3', {}, title), picture);
}

// Line charts, and bars or dots with whiskers, as SVG: drawn for the width that there is, so that
// words are never small, each with its numbers in a table behind it.
import {downward, el, svg, short, table, upward} from './dom.js';

// Bounds are rounded to their side.
const told = (axis, value, digits) => (value === null || value === undefined ? short(value) : (axis.down ? downward : upward)(value, digits));

function linearTicks(low, high, most) {
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw * (1 - 1e-9)) ?? 10 * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) ticks.push(i * step);
  return ticks;
}

function logTicks(low, high, most) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / most)), ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(10 ** power);
  return ticks.length >= 2 ? ticks : [low, high];
}

function scale(axis, values, from, to) {
  const log = axis.log, usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  let low = axis.low ?? Math.min(...usable), high = axis.high ?? Math.max(...usable);
  if (!usable.length && (axis.low === undefined || axis.high === undefined)) { low = log ? 0.1 : 0; high = 1; }
  if (!(high > low)) { low = log ? low / 2 : low - 0.5; high = log ? high * 2 : high + 0.5; }
  const place = log ? Math.log : (v) => v, a = place(low), b = place(high), most = Math.abs(to - from) / (to > from ? 52 : 36);
  const at = (v) => from + (to - from) * (Math.min(Math.max(place(Math.max(v, log ? low * 1e-3 : v)), a), b) - a) / (b - a);
  return {at, low, high, ticks: log ? logTicks(low, high, Math.max(2, most)) : linearTicks(low, high, Math.max(2, most))};
}

// A figure that is drawn again when its width changes. paint(spec, width) gives the picture.
function figure(paint, below, first) {
  const title = el('h3', {}), holder = el('div', {class: 'holder'}), legend = el('div', {}), numbers = el('div', {});
  const details = el('details', {}, el('summary', {}, 'Numbers'), numbers);
  const element = el('figure', {class: 'card'}, title, holder, legend, details);
  let spec = first, width = 520;
  const draw = () => holder.replaceChildren(paint(spec, width));
  const fill = () => { if (details.open) numbers.replaceChildren(below.numbers(spec)); };
  details.addEventListener('toggle', fill);
  new ResizeObserver(([{contentRect}]) => {
    const now = Math.round(contentRect.width);
    if (now > 0 && now !== width) { width = now; draw(); }
  }).observe(holder);
  element.update = (next) => {
    spec = next;
    title.textContent = spec.title;
    legend.replaceChildren(...(below.legend?.(spec) ?? []));
    draw();
    fill();
  };
  element.update(first);
  return element;
}

const box = (width) => ({width, height: Math.round(Math.min(360, Math.max(230, 0.62 * width))), left: 62, right: 14, top: 14, bottom: 48});

function frame(picture, b, x, y, xAxis, yAxis) {
  for (const tick of y.ticks) {
    picture.append(svg('line', {class: 'grid', x1: b.left, x2: b.width - b.right, y1: y.at(tick), y2: y.at(tick)}),
      svg('text', {x: b.left - 7, y: y.at(tick) + 4, 'text-anchor': 'end'}, short(tick, 3)));
  }
  for (const tick of x.ticks) {
    picture.append(svg('line', {class: 'grid', y1: b.top, y2: b.height - b.bottom, x1: x.at(tick), x2: x.at(tick)}),
      svg('text', {x: x.at(tick), y: b.height - b.bottom + 18, 'text-anchor': 'middle'}, short(tick, 3)));
  }
  picture.append(svg('rect', {class: 'frame', x: b.left, y: b.top, width: b.width - b.left - b.right, height: b.height - b.top - b.bottom}),
    svg('text', {class: 'axis-label', x: (b.left + b.width - b.right) / 2, y: b.height - 8, 'text-anchor': 'middle'}, xAxis.label),
    svg('text', {class: 'axis-label', x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(14 ${(b.top + b.height - b.bottom) / 2}) rotate(-90)`}, yAxis.label));
}

function paintLines({title, x: xAxis, y: yAxis, series, marks = [], diagonal = false}, width) {
  const b = box(width), all = series.flatMap((each) => each.points);
  const y = scale(yAxis, all.map((p) => p[1]), b.height - b.bottom, b.top);
  b.left = Math.max(44, 30 + 8 * Math.max(...y.ticks.map((each) => short(each, 3).length)));
  const x = scale(xAxis, all.map((p) => p[0]), b.left, b.width - b.right);
  const picture = svg('svg', {class: 'chart', width: b.width, height: b.height, viewBox: `0 0 ${b.width} ${b.height}`, role: 'img', 'aria-label': `${title}: ${yAxis.label} against ${xAxis.label}. The numbers are in the table below.`});
  frame(picture, b, x, y, xAxis, yAxis);
  if (diagonal) picture.append(svg('path', {class: 'reference', d: `M${x.at(0)} ${y.at(1)}L${x.at(1)} ${y.at(0)}`}));
  series.forEach((each, i) => {
    let line = '', open = false;
    for (const [px, py] of each.points) {
      const fits = Number.isFinite(px) && Number.isFinite(py) && (!yAxis.log || py > 0);
      if (fits) line += `${open ? 'L' : 'M'}${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
      open = fits;
    }
    picture.append(svg('path', {class: `curve c${i % 5 + 1}`, d: line || 'M0 0'}));
  });
  for (const mark of marks) {
    picture.append(mark.x !== undefined
      ? svg('path', {class: 'mark', d: `M${x.at(mark.x)} ${b.top}V${b.height - b.bottom}`})
      : svg('path', {class: 'mark', d: `M${b.left} ${y.at(mark.y)}H${b.width - b.right}`}));
  }
  follow(picture, b, x, series, xAxis, yAxis);
  return picture;
}

// What the pointer points at.
function follow(picture, b, x, series, xAxis, yAxis) {
  const cursor = svg('line', {class: 'cursor', y1: b.top, y2: b.height - b.bottom, visibility: 'hidden'});
  const words = svg('text', {y: b.top + 16, class: 'axis-label', visibility: 'hidden'});
  picture.append(cursor, words);
  picture.addEventListener('pointermove', (event) => {
    const place = event.clientX - picture.getBoundingClientRect().left, points = series[0]?.points ?? [];
    if (place < b.left || place > b.width - b.right || !points.length) return;
    const nearest = points.reduce((best, each) => Math.abs(x.at(each[0]) - place) < Math.abs(x.at(best[0]) - place) ? each : best);
    const at = x.at(nearest[0]), beyond = at > b.width / 2;
    cursor.setAttribute('x1', at); cursor.setAttribute('x2', at);
    words.setAttribute('x', at + (beyond ? -6 : 6));
    words.setAttribute('text-anchor', beyond ? 'end' : 'start');
    words.textContent = `${xAxis.short ?? xAxis.label} ${short(nearest[0])}: ${told(yAxis, nearest[1], 4)}`;
    for (const each of [cursor, words]) each.setAttribute('visibility', 'visible');
  });
  picture.addEventListener('pointerleave', () => { for (const each of [cursor, words]) each.setAttribute('visibility', 'hidden'); });
}

const lineLegend = ({series}) => (series.length < 2 ? [] : [el('p', {class: 'help legend'}, series.map((each, i) => {
  const swatch = svg('svg', {width: 26, height: 8, 'aria-hidden': 'true'}, svg('path', {class: `curve c${i % 5 + 1}`, d: 'M0 4H26'}));
  return el('span', {}, swatch, ` ${each.label}`);
}))]);

// {title, x, y, series: [{label, points: [[x, y]]}], marks: [{x} or {y}], diagonal}: the last is the
// curve that reveals nothing. The figure has update(spec).
export const lineChart = (spec) => figure(paintLines, {legend: lineLegend, numbers: ({x, y, series}) => table(['', x.label, y.label],
  series.flatMap((each) => each.points.map(([px, py]) => [each.label, short(px, 5), told(y, py, 5)])), [1, 2])}, spec);

const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

function paintBars({title, axis, bars, zero = true}, width) {
  const row = bars.length > 24 ? 22 : 34, longest = Math.max(...bars.map((each) => each.label.length), 1);
  const left = Math.min(0.38 * width, 16 + 7.4 * longest), right = 20, top = 8, height = top + row * bars.length + 48;
  const values = bars.flatMap((each) => [each.value, each.lower ?? each.value, each.upper ?? each.value]).filter(Number.isFinite);
  if (zero) values.push(0);
  const low = Math.min(...values), high = Math.max(...values), beyond = 0.06 * (high - low);
  const x = scale({low: zero && low >= 0 ? 0 : low - beyond, high: zero && high <= 0 ? 0 : high + beyond}, values, left, width - right);
  const picture = svg('svg', {class: 'chart', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}. The numbers are in the table below.`});
  const bottom = height - 48;
  for (const tick of x.ticks) {
    picture.append(svg('line', {class: 'grid', x1: x.at(tick), x2: x.at(tick), y1: top, y2: bottom}),
      svg('text', {x: x.at(tick), y: bottom + 18, 'text-anchor': 'middle'}, short(tick, 3)));
  }
  picture.append(svg('rect', {class: 'frame', x: left, y: top, width: width - left - right, height: bottom - top}),
    svg('text', {class: 'axis-label', x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle'}, axis));
  bars.forEach((bar, i) => {
    const middle = top + row * (i + 0.5), thick = 0.52 * row, at = x.at(bar.value), base = x.at(0);
    picture.append(svg('text', {class: 'axis-label', x: left - 8, y: middle + 4, 'text-anchor': 'end'}, cut(bar.label, Math.floor((left - 14) / 7.2)), svg('title', {}, bar.label)));
    if (Number.isFinite(bar.value)) {
      picture.append(zero ? svg('rect', {class: 'bar', x: Math.min(base, at), width: Math.abs(base - at), y: middle - thick / 2, height: thick})
        : svg('circle', {class: 'bar', cx: at, cy: middle, r: 5}));
    }
    if (Number.isFinite(bar.lower) && Number.isFinite(bar.upper))
      picture.append(svg('path', {class: 'whisker', d: `M${x.at(bar.lower)} ${middle - 6}v12M${x.at(bar.lower)} ${middle}H${x.at(bar.upper)}M${x.at(bar.upper)} ${middle - 6}v12`}));
  });
  return picture;
}

// {title, axis, bars: [{label, value, lower, upper}], zero}: bars from 0, or else dots.
export const barChart = (spec) => figure(paintBars, {numbers: ({bars}) => table(['', 'value', 'lower', 'upper'],
  bars.map((each) => [each.label, short(each.value, 6), short(each.lower, 6), short(each.upper, 6)]), [1, 2, 3])}, spec);

// The reporting function in the browser. The steps are those of RowRule::apply, IntegerClip,
// PredictionLoss::at and PublishableReport::at, in the same arithmetic; tests compare the two.
"use strict";
// More than what the arithmetic here loses, as in the program.
const roundingShare = 1e-9;
const upwards = (value) => value * (1 + roundingShare);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

// Nearest whole number, ties to even.
const rounded = (x) => (x + 6755399441055744) - 6755399441055744;

function powerOfTwo(exponent) {
  let power = 1;
  for (let i = 0; i < Math.abs(exponent); ++i) power *= exponent < 0 ? 0.5 : 2;
  return power;
}

// Added up in four strands, so that the last bit is that of the program.
function sumOfSquares(row, factor) {
  const strands = [0, 0, 0, 0];
  row.forEach((x, i) => { strands[i % 4] += (x * factor) * (x * factor); });
  return (strands[0] + strands[1]) + (strands[2] + strands[3]);
}

// Clamped to the range and mapped onto [-1, 1]; half of each end first, as the program does.
function standardized(value, low, high) {
  const middle = 0.5 * low + 0.5 * high, halfWidth = 0.5 * high - 0.5 * low;
  return Math.min(1, Math.max(-1, (value - middle) / halfWidth));
}

// The row that the release saw: scaled, no longer than the bound, in whole numbers of a grid.
function clippedRow(report, values) {
  const row = report.intercept ? [1] : [];
  report.features.forEach((feature, i) => {
    row.push("low" in feature ? standardized(values[i], feature.low, feature.high) : values[i]);
  });
  const largest = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (largest === 0) return row.map(() => 0);
  const exponent = Math.min(1000, Math.max(-1000, Math.floor(Math.log2(largest))));
  const unit = powerOfTwo(-exponent), norm = Math.sqrt(sumOfSquares(row, unit));
  const whole = norm * powerOfTwo(exponent) <= report.radius
    ? row.map((x) => rounded(x * (1 / report.grid)))
    : row.map((x) => rounded(x * unit * (report.radius / report.grid / norm)));
  return whole.map((x) => x * report.grid);
}

function responseOf(report, value) {
  const rule = report.response;
  if ("label" in rule) return value > rule.threshold ? 1 : -1;
  return standardized(value, rule.low, rule.high);
}

// Slope and curvature of the loss at the prediction u.
function lossAt(report, u, y) {
  const parameter = report.loss_parameter;
  if (report.loss === "logistic") {
    const tail = Math.exp(-Math.abs(y * u));
    const pull = (y * u > 0 ? tail : 1) / (1 + tail);
    return { slope: -y * pull, curvature: tail / ((1 + tail) * (1 + tail)) };
  }
  if (report.loss === "smoothed_hinge") {
    const margin = y * u;
    if (margin >= 1 + parameter) return { slope: 0, curvature: 0 };
    if (margin <= 1 - parameter) return { slope: -y, curvature: 0 };
    return { slope: -y * ((1 + parameter - margin) / (2 * parameter)), curvature: 1 / (2 * parameter) };
  }
  if (report.loss === "huber") {
    const residual = u - y;
    if (Math.abs(residual) <= parameter) return { slope: residual, curvature: 1 };
    return { slope: residual < 0 ? -parameter : parameter, curvature: 0 };
  }
  if (report.loss === "log_cosh") {
    const tail = Math.exp(-2 * Math.abs(u - y) / parameter), below = 1 + tail;
    const slope = parameter * ((1 - tail) / below);
    return { slope: u < y ? -slope : slope, curvature: 4 * tail / (below * below) };
  }
  if (report.loss === "squared") {
    const inner = Math.min(parameter, Math.max(-parameter, u));
    return { slope: inner - y, curvature: inner === u ? 1 : 0 };
  }
  if (report.loss === "log_cosh") {
    const ratio = (u - y) / parameter, tail = Math.exp(-2 * Math.abs(ratio)), whole = 1 + tail;
    const size = parameter * ((1 - tail) / whole);
    return { slope: ratio < 0 ? -size : size, curvature: Math.min(1, 4 * tail / (whole * whole)) };
  }
  throw new Error("unknown loss");
}

// x^T H^-1 x from above, by the least of the bounds at a in [0, 1]: convex in a.
function leverageAbove(report, row) {
  const square = dot(row, row), byFloor = square / report.floor;
  if (report.eigenvalues.length === 0 || byFloor === 0) return byFloor;
  const slack = 16 * row.length * 2.220446049250313e-16 * Math.sqrt(square);
  const weights = report.eigenvectors.map((v) => Math.pow(Math.abs(dot(v, row)) + slack, 2));
  const gains = report.eigenvalues.map((h) => h - (report.matrix_margin + report.floor));
  const at = (a) => weights.reduce((sum, w, i) => sum + w / (report.floor + a * gains[i]), 0);
  const falls = (a) => weights.reduce((sum, w, i) => {
    const below = report.floor + a * gains[i];
    return sum + w * gains[i] / (below * below);
  }, 0) >= 0;
  const least = Math.min(...gains);
  let low = 0, high = least < 0 ? Math.min(1, (1 - 1e-6) * report.floor / -least) : 1;
  if (falls(high)) return Math.min(byFloor, at(high));
  for (let step = 0; step < 40; ++step) {
    const middle = 0.5 * (low + high);
    if (falls(middle)) low = middle; else high = middle;
  }
  return Math.min(byFloor, at(low), at(high));
}

// The epsilon at delta of noise that costs mu, from above: report_epsilon of the program.
function epsilonOf(mu, delta) {
  if (mu === 0) return 0;
  const deltaAt = (t) => {
    const root = Math.sqrt(t * t + 4);
    return Math.exp(-0.5 * t * t) / Math.sqrt(2 * Math.PI) *
      Math.min(4 / (3 * t + Math.sqrt(t * t + 8)), mu * (root - t) / (root + t));
  };
  let low = 0, high = deltaAt(0) <= delta ? 0 : 40;
  for (let step = 0; step < 60; ++step) {
    const middle = 0.5 * (low + high);
    if (deltaAt(middle) <= delta * (1 - 1e-12)) high = middle; else low = middle;
  }
  return upwards(mu * (high + 0.5 * mu));
}

// The values are in the units of the file. inside, outside: bounds on the loss of the record if it
// is one of the data, and if it is not; cost: mu of what was released for the report itself.
function evaluate(report, values, responseValue) {
  const row = clippedRow(report, values), y = responseOf(report, responseValue);
  const loss = lossAt(report, dot(row, report.coefficients), y);
  const norm = Math.sqrt(dot(row, row)), pull = Math.abs(loss.slope);
  const absolute = row.reduce((sum, x) => sum + Math.abs(x), 0);
  const slope = pull * norm, curvature = loss.curvature * norm * norm;
  const product = report.gradient.length ? loss.slope * dot(row, report.gradient) : 0;

  const leverage = upwards(leverageAbove(report, row)), share = loss.curvature * leverage;
  const alone = Math.log1p(curvature / report.regularization);
  const removed = share < 1 ? Math.min(-Math.log1p(-share), alone) : alone;
  const deviation = report.standard_deviation;
  const square = 0.5 * (slope / deviation) * (slope / deviation);
  const reach = (euclidean, largest) => {
    const plain = euclidean * pull * norm;
    const least = largest === null ? plain : Math.min(plain, largest * pull * absolute);
    return least / deviation / deviation;
  };
  const margin = reach(report.margin_euclidean, report.margin_absolute);
  const center = report.shrinkage * product / deviation / deviation;
  // What is known without a look at the gradient bounds it, too.
  const most = report.free_euclidean === null
    ? Infinity : reach(report.free_euclidean, report.free_absolute);
  const above = (middle) => Math.min(middle + margin, most);
  const below = (middle) => Math.max(middle - margin, -most);

  const slack = 1e-14 * (removed + square + Math.abs(center) + margin);
  const bound = (low, high) => upwards(Math.max(Math.abs(low), Math.abs(high)) + slack);
  const part = (shift, noise) => noise > 0 ? shift / noise : 0;
  const noise = report.noise;
  const steep = slope + report.slope_arithmetic, bent = curvature + report.curvature_arithmetic;
  const cost = upwards(Math.sqrt(Math.pow(part(steep, noise.gradient), 2) +
                                 Math.pow(part(bent, noise.matrix), 2) / 2 +
                                 Math.pow(part(bent, noise.eigenvalue), 2)) * (1 + roundingShare));
  return {
    inside: bound(square + below(-center), removed + square + above(-center)),
    outside: bound(square + below(center) - Math.log1p(share), square + above(center)),
    leverage: leverage,
    cost: cost,
    cost_epsilon: epsilonOf(cost, report.delta),
  };
}

// Four digits, never below the value.
function shownUpwards(value) {
  if (value === 0) return "0";
  let text = value.toPrecision(4);
  if (Number(text) < value) {
    const step = Math.pow(10, Math.floor(Math.log10(value)) - 3);
    text = (value + step).toPrecision(4);
  }
  return String(Number(text));
}

function answerIn(report, texts) {
  const numbers = texts.map((text) => Number(text.trim() === "" ? NaN : text));
  if (!numbers.every(Number.isFinite)) return ["Please fill in every field with a number."];
  const result = evaluate(report, numbers.slice(0, -1), numbers[numbers.length - 1]);
  const factor = (epsilon) => shownUpwards(Math.exp(epsilon));
  const lines = [
    `If this record is in the data: its loss is at most epsilon = ${shownUpwards(result.inside)}. ` +
      `Whoever sees the released coefficients changes the odds on the record being there by a ` +
      `factor of at most ${factor(result.inside)}.`,
    `If it is not in the data: at most epsilon = ${shownUpwards(result.outside)}, ` +
      `a factor of at most ${factor(result.outside)}.`,
  ];
  lines.push(result.cost > 0
    ? `The numbers released for this report cost the record besides: as much as normal noise that ` +
      `hides a shift of mu = ${shownUpwards(result.cost)} standard deviations, which is ` +
      `epsilon = ${shownUpwards(result.cost_epsilon)} at delta = ${report.delta}.`
    : "This report itself cost the record nothing.");
  lines.push("These values are for the owner of the record alone: they tell about it.");
  return lines;
}

function start() {
  const report = JSON.parse(document.getElementById("report").textContent);
  const form = document.getElementById("record"), answer = document.getElementById("answer");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const texts = Array.from(form.querySelectorAll("input"), (input) => input.value);
    answer.replaceChildren(...answerIn(report, texts).map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
    answer.hidden = false;
  });
}
if (typeof document !== "undefined") start();

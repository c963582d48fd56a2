// What a release promises, before and after it is made.
import {badge, copyable, el, keepFile, short, table, upward} from './dom.js';
import {ask} from './ask.js';
import {barChart} from './chart.js';

const percent = (share) => `${upward(100 * share, 3)} %`;

function expectedTable({expected = [], certificate}) {
  if (!expected.length) return null;
  const level = certificate.parameters?.confidence ?? 0.95, sized = expected.some((each) => each.rows !== undefined);
  return el('div', {}, el('h4', {}, 'How large the noise will be'),
    table(['number', sized ? 'in a group of' : 'standard deviation', `${short(100 * level)} % interval`],
      expected.map((each) => [each.column ?? 'number of rows', sized ? `${each.rows.toLocaleString('en')} rows` : short(each.standard_deviation), `± ${upward(each.half_width, 3)}`]), [1, 2]),
    sized ? el('p', {class: 'help'}, 'How many rows a group has is not looked at: these are examples.') : null);
}

function priceOf(ledger) {
  if (!ledger) return el('p', {class: 'help'}, 'It is charged to no ledger: nobody adds up what it gives away together with other releases.');
  if (ledger.fits === false) return el('p', {class: 'error', role: 'alert'}, `The ledger would refuse it: ${ledger.refusal}.`);
  if (ledger.plan !== undefined) return el('p', {}, `It is drawn from plan ${ledger.plan} of the budget ${ledger.budget}, at no further cost.`);
  return el('div', {}, el('h4', {}, `What it costs of the budget ${ledger.budget}`),
    el('p', {}, el('strong', {id: 'share'}, percent(ledger.share_of_left)), ' of what is left. ', el('span', {class: 'help'}, ledger.left_in_words)),
    el('progress', {max: 1, value: ledger.share_of_left, 'aria-label': 'Share of what is left'}));
}

function noiseOf({parameters = {}}) {
  const known = ['standard_deviation', 'diagonal_standard_deviation', 'scale', 'rank_error', 'sensitivity'].filter((name) => typeof parameters[name] === 'number');
  return known.length ? el('p', {class: 'help'}, 'As the certificate tells it: ', known.map((name) => `${name.replaceAll('_', ' ')} ${short(parameters[name], 6)}`).join(', '), '.') : null;
}

// Before any row is read.
export function promiseCard({answer, words, command}, release, output) {
  const {certificate, columns = [], ledger} = answer;
  const used = columns.filter((each) => each.use !== 'none');
  release.disabled = ledger?.fits === false;
  return el('div', {class: 'card hero', id: 'promise'}, el('h3', {}, 'What will be promised'),
    certificate ? el('p', {}, 'The numbers will be ', el('strong', {}, `(${certificate.target.epsilon}, ${certificate.target.delta})-differentially private`), ' ', badge(certificate.guarantee),
      el('span', {class: 'help'}, ` ${certificate.neighbors}`)) : null,
    el('p', {}, used.length ? `Used: ${used.map((each) => each.range ? `${each.name} between ${each.range[0]} and ${each.range[1]}` : each.name).join(', ')}. ` : '', el('span', {class: 'help'}, 'No row was read for this.')),
    certificate ? expectedTable(answer) : null, certificate ? noiseOf(certificate) : null, certificate ? priceOf(ledger) : null,
    el('div', {class: 'row'}, release, el('span', {class: 'help'}, output ? `goes to ${output}` : '')),
    el('details', {}, el('summary', {}, 'All of it, with what is assumed'), el('pre', {tabindex: 0}, words), copyable('Command', command)));
}

const download = (path, words) => el('button', {type: 'button', class: 'small', onclick: async (event) => {
  try {
    const {name, base64} = await ask({ask: 'file', file: path});
    keepFile(name, new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
  } catch (error) { event.target.after(el('span', {class: 'error', role: 'alert'}, ` ${error.message}`)); }
}}, words);

const words = (statistic, title) => (['count', 'histogram'].includes(statistic) ? 'Number of rows' : title.replace(/ of a column$/, ''));
function pictureOf({rows, columns, values}, {title, statistic, parameters = {}}) {
  const at = (name) => columns.indexOf(name), value = at('value') >= 0 ? at('value') : at('coefficient');
  if (value < 0 || values.length > 120) return null;
  const bars = values.map((row, i) => ({label: rows[i] || 'all rows', value: row[value], lower: at('lower') < 0 ? null : row[at('lower')], upper: at('upper') < 0 ? null : row[at('upper')]}));
  const what = [words(statistic, title), parameters.columns?.length ? `of ${parameters.columns.join(', ')}` : '', parameters.by?.length ? `by ${parameters.by.join(', ')}` : ''].filter(Boolean).join(' ');
  const zero = ['count', 'histogram', 'sum'].includes(statistic);
  const whiskers = bars.some((each) => each.lower !== null);
  return [barChart({title: what, axis: at('value') < 0 ? 'coefficient' : zero && statistic !== 'sum' ? 'rows' : parameters.columns?.join(', ') ?? '', bars, zero}),
    whiskers ? el('p', {class: 'help'}, at('value') >= 0 ? 'Whiskers: intervals for the noise. What clamping to the bounds changed is not in them.' : 'Whiskers: 95 % intervals.') : null];
}

// The numbers, with their error bars and files.
export function releasedCard({answer, words, command, released}, about) {
  const certificate = answer.certificate_file ?? `${about.path}.certificate.json`;
  const {rows = [], columns = [], values = [], rows_in_all: all} = released ?? {};
  const shown = values.slice(0, 200);
  return el('div', {class: 'card', id: 'released'}, el('h3', {tabindex: -1}, 'Released ', badge(answer.certificate?.guarantee)),
    el('p', {}, 'Written to ', el('code', {}, about.path), '. ', answer.ledger ? el('a', {href: `#ledger?${encodeURIComponent(JSON.stringify({ledger: about.ledger}))}`}, `Entry ${answer.ledger.entry} of the ledger`) : ''),
    answer.warnings ? el('p', {class: 'warning', role: 'alert'}, answer.warnings.join(' ')) : null,
    released ? pictureOf(released, {...about, parameters: answer.certificate?.parameters}) : null,
    released ? table(['', ...columns], shown.map((row, i) => [rows[i], ...row.map((each) => short(each, 7))]), columns.map((_, i) => i + 1)) : null,
    all > shown.length ? el('p', {class: 'help'}, `The first ${shown.length} of ${all} rows.`) : null,
    el('div', {class: 'row'}, download(about.path, 'Download the numbers'), download(certificate, 'Download the certificate')),
    el('details', {}, el('summary', {}, 'What is promised'), el('pre', {id: 'certificate', tabindex: 0}, words), copyable('Command', command)));
}

// Files in the folders that are served.
import {el} from './dom.js';
import {ask} from './ask.js';

export const isTable = (name) => /\.(csv|tsv|csv\.gz|npy|parquet)$/i.test(name);
export const isLedger = (name) => /\.(db|sqlite|sqlite3|ledger)$/i.test(name);
export const isJson = (name) => /\.json$/i.test(name);

export async function filesThat(fit) {
  const {files} = await ask({ask: 'files'});
  return files.filter((each) => fit(each.name));
}

export function fileChoice(files, {label, value, onchange, empty = 'choose a file'}) {
  const several = new Set(files.map((each) => each.folder)).size > 1;
  const select = el('select', {onchange, 'aria-label': label}, el('option', {value: ''}, empty),
    files.map((each) => el('option', {value: each.path}, several ? each.path : each.name)));
  if (value && files.some((each) => each.path === value)) select.value = value;
  return select;
}

// Simple CSV, as releases are written.
export function rowsOf(text) {
  return text.trim().split(/\r?\n/).map((line) => {
    const cells = [];
    let cell = '', quoted = false;
    for (let i = 0; i < line.length; ++i) {
      const c = line[i];
      if (quoted) {
        if (c === '"' && line[i + 1] === '"') { cell += '"'; ++i; } else if (c === '"') quoted = false; else cell += c;
      } else if (c === '"') quoted = true;
      else if (c === ',') { cells.push(cell); cell = ''; } else cell += c;
    }
    cells.push(cell);
    return cells;
  });
}

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

// A name without a folder goes beside the other file.
export const inFolder = (beside, name) => (name.startsWith('/') || !beside ? name : `${beside.slice(0, beside.lastIndexOf('/'))}/${name}`);

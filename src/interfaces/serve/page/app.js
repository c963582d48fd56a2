// Which page is shown, and its state, both in the address: after the # stands the name of the page,
// a question mark, and the state as JSON. The state never holds the secret of the server.
import {el} from './dom.js';
import {leavePage} from './ask.js';
import {homePage} from './home.js';
import {composePage} from './compose.js';
import {calibratePage} from './calibrate.js';
import {meaningPage} from './meaning.js';
import {releasePage} from './release.js';
import {ledgerPage} from './ledger.js';
import {auditPage} from './audit.js';
import {reportsPage} from './reports.js';

const pages = {
  compose: ['Compose', composePage],
  calibrate: ['Calibrate', calibratePage],
  meaning: ['What it means', meaningPage],
  release: ['Release', releasePage],
  ledger: ['Ledger', ledgerPage],
  audit: ['Audit', auditPage],
  reports: ['Reports', reportsPage],
};

const home = ['Start', homePage];
const main = document.getElementById('main');
const nav = document.getElementById('pages');
for (const [name, [title]] of Object.entries(pages)) nav.append(el('a', {href: `#${name}`, 'data-page': name}, title));

function readAddress() {
  const [name, state] = location.hash.slice(1).split(/\?(.*)/s);
  let given = {};
  try { if (state) given = JSON.parse(decodeURIComponent(state)); } catch { /* an address that was cut off */ }
  return [pages[name] ? name : '', given];
}

let shown = null, moved = false;
async function show() {
  if (location.hash === shown) return;
  const mine = location.hash;
  shown = mine;
  const [name, state] = readAddress();
  for (const link of nav.children) {
    if (link.dataset.page === name) {
      link.setAttribute('aria-current', 'page');
      nav.scrollLeft = link.offsetLeft - nav.offsetLeft - 40;  // on a narrow screen
    }
    else link.removeAttribute('aria-current');
  }
  const [title, make] = pages[name] ?? home;
  document.title = `${title} · Modicum explorer`;
  leavePage();
  const keep = (kept) => {
    if (shown !== mine && !shown.startsWith(`#${name}`)) return;  // another page is shown by now
    shown = `#${name}?${encodeURIComponent(JSON.stringify(kept))}`;
    history.replaceState(null, '', shown);
    nav.querySelector(`[data-page=${name}]`).href = shown;  // whoever comes back finds it as it was
  };
  try {
    const page = await make(state, keep);
    if (readAddress()[0] !== name) return;  // somebody has gone on
    main.replaceChildren(page);
    if (moved) { scrollTo(0, 0); main.focus({preventScroll: true}); }
    moved = true;
  } catch (error) {
    if (error.name !== 'AbortError') main.replaceChildren(el('p', {class: 'error', role: 'alert'}, `This page cannot be shown: ${error.message}`));
  }
}

document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
addEventListener('hashchange', show);
show();

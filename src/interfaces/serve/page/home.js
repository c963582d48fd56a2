// Where one begins.
import {el} from './dom.js';

const ways = [
  ['release', 'Release numbers from a table', 'Counts, means, medians, regressions, by group, with noise that protects everybody in it. You see what is promised before anything is read.'],
  ['compose', 'See what answers give away', 'Put mechanisms together and move the sliders: epsilon, privacy profile and trade-off curve, exactly.'],
  ['calibrate', 'Find the least noise', 'A target in, kinds of noise side by side, and what each costs in people.'],
  ['meaning', 'Understand epsilon', 'What the best guess of an attacker becomes, with a hundred people to look at.'],
  ['ledger', 'Keep a budget', 'One budget for all releases of a data set: what is spent, on what, what is left.'],
  ['audit', 'Check a claim', 'Drop a certificate or a description, or look at claims of published papers beside the truth.'],
  ['reports', 'Ask for one record', 'What a single record lost, and reports on which everybody can ask for their own.']];

export async function homePage() {
  return el('div', {}, el('h2', {}, 'What would you like to do?'),
    el('p', {class: 'lead'}, 'Everything here is computed by the program on this machine, and proved where it says so. Nothing is sent anywhere.'),
    el('ul', {class: 'ways'}, ways.map(([page, title, words], i) => el('li', {}, el('a', {href: `#${page}`, class: `card way ${i === 0 ? 'first' : ''}`}, el('strong', {}, title), el('span', {}, words))))));
}

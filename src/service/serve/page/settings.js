/** How the user likes the board and the engine. Settings are kept in the browser. */
import { showPieces } from './pieces.js';
import { browser, recall, remember } from './store.js';

const element = id => document.getElementById(id);

const USUAL = {
  isOn: true,
  /** 0: as many as the server gives. */
  threads: 0,
  lines: 1,
  limit: 'none',
  depth: 30,
  seconds: 10,
  effort: '500000',
  theme: 'auto',
  board: 'wood',
  pieces: 'carved',
  arrows: true,
  coordinates: true,
  gauge: true,
  motion: true,
  sound: false,
};

const saved = () => {
  try {
    return JSON.parse(recall(browser, 'settings')) || {};
  } catch {
    return {};
  }
};

export const settings = { ...USUAL, ...saved() };

const listeners = [];

/** `listener` gets the names of the settings that have changed. */
export const onSettings = listener => listeners.push(listener);

export const change = changes => {
  Object.assign(settings, changes);
  remember(browser, 'settings', JSON.stringify(settings));
  showLook();
  fill();
  for (const listener of listeners) listener(Object.keys(changes));
};

/** Carries out the settings that concern the look alone. */
const showLook = () => {
  const page = document.documentElement.dataset;
  page.theme = settings.theme;
  page.board = settings.board;
  page.coordinates = settings.coordinates ? 'on' : 'off';
  page.gauge = settings.gauge ? 'on' : 'off';
  showPieces(settings.pieces);
};

const form = element('settings');

/** Puts the settings into the form. */
const fill = () => {
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === 'checkbox') field.checked = settings[field.name];
    else field.value = field.name === 'threads' ? settings.threads || field.max : settings[field.name];
  }
  element('depth-setting').hidden = settings.limit !== 'depth';
  element('seconds-setting').hidden = settings.limit !== 'time';
};

form.addEventListener('change', event => {
  const field = event.target;
  if (field.type !== 'number') {
    change({ [field.name]: field.type === 'checkbox' ? field.checked : field.value });
    return;
  }
  const number = Math.round(Number(field.value));
  const value = Math.min(Math.max(number || Number(field.min), Number(field.min)), Number(field.max) || Infinity);
  // All threads are wanted, also if the server has more some day.
  const isAll = field.name === 'threads' && value === Number(field.max);
  change({ [field.name]: isAll ? 0 : value });
});

/** The server has told how many threads and lines there are. */
export const limitSettings = ({ threads, lines }) => {
  if (threads) {
    form.elements.threads.max = threads;
    const most = threads === 1 ? 'one thread' : `up to ${threads} threads`;
    element('share-of-threads').textContent = `A search of yours gets ${most}. When others search too, all share them.`;
  }
  if (lines) form.elements.lines.max = Math.min(5, lines);
  fill();
};

showLook();
fill();

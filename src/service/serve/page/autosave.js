/** Keeps the game in the browser after each change, and brings it back after a reload. */
import { findIn, hasGame, readAddress, writeAddress } from './address.js';
import { titleOf } from './importing.js';
import { currentId, load, newId, save, setCurrent, whenSavedElsewhere } from './library.js';
import { tell } from './message.js';
import { fromText, textOf } from './saved.js';

/** How soon a change is kept: what the user has done, and what the engine has found. */
const CHANGE_MS = 400;
const FINDING_MS = 3000;
let timer = null;
let due = Infinity;
let isTold = false;

const titleFor = tree => {
  const tag = name => (/^[?]/.test(tree.tags.get(name) || '') ? '' : tree.tags.get(name) || '');
  const known = {
    white: tag('White'),
    black: tag('Black'),
    event: tag('Event'),
    date: tag('Date'),
    result: tag('Result'),
  };
  if (known.white || known.black || known.event) return titleOf(known);
  const moves = tree.line(tree.root).slice(1, 5);
  const words = moves.map(({ move }) => (move.number.endsWith('...') ? move.san : `${move.number} ${move.san}`));
  return words.join(' ') || 'Position';
};

export const keepGame = game => {
  const now = () => {
    clearTimeout(timer);
    due = Infinity;
    const { tree, node } = game;
    if (!tree) return;
    writeAddress(tree, node);
    if (tree.isEmpty && !tree.root.best) return;
    const isKept = save(tree.id, textOf(tree, node), { title: titleFor(tree), moves: tree.line(tree.root).length - 1 });
    if (!isKept && !isTold) {
      isTold = true;
      tell('This browser keeps no games, so a reload loses them. Share hands the game on.', { isError: true });
    }
  };
  game.on('loaded', now);
  // The engine finds something new all the time. That must not put off what is due already.
  const later = pause => {
    const time = performance.now() + pause;
    if (time >= due) return;
    clearTimeout(timer);
    due = time;
    timer = setTimeout(now, pause);
  };
  game.on('shaped moved annotated reported', () => later(CHANGE_MS));
  game.on('evaluated', () => later(FINDING_MS));
  // A phone may throw the page away as soon as it is out of sight.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && now());
  window.addEventListener('pagehide', now);
  // Two tabs with one game would overwrite each other's work.
  whenSavedElsewhere(
    () => game.tree?.id,
    () => {
      game.tree.id = newId();
      setCurrent(game.tree.id);
      tell('Another tab shows this game, too. What you do here is kept as a game of its own.');
    },
  );
};

/** The game that this tab has shown before a reload, if the address does not name another one. */
export const lastGame = () => {
  const text = currentId() && load(currentId());
  if (!text) return null;
  try {
    const { tree, node } = fromText(text);
    const address = readAddress();
    const named = hasGame(address) ? findIn(tree, address) : node;
    return named && { tree, node: named, id: currentId() };
  } catch {
    return null;
  }
};

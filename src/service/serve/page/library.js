/** The games that the browser keeps. The tab knows which of them it shows, so that a reload goes on with it. */
import { browser, forget, recall, remember, tab } from './store.js';

const MOST_GAMES = 40;
/** Browsers keep about five million characters. A game that takes nearly all of them must not push out the others. */
const LONGEST = 3_000_000;
const LIST = 'games';
const CURRENT = 'game';

const keyOf = id => `game-${id}`;

/** What is known of each game, the latest first: `id`, `title`, `moves`, `time`. */
export const savedGames = () => {
  try {
    return JSON.parse(recall(browser, LIST)) || [];
  } catch {
    return [];
  }
};

export const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Keeps a game. If the store is full, the oldest games make room. Tells whether it worked. */
export const save = (id, text, { title, moves }) => {
  if (text.length > LONGEST) return false;
  let games = [{ id, title, moves, time: Date.now() }, ...savedGames().filter(game => game.id !== id)];
  for (const old of games.slice(MOST_GAMES)) forget(browser, keyOf(old.id));
  games = games.slice(0, MOST_GAMES);
  while (!remember(browser, keyOf(id), text)) {
    if (games.length < 2) return false;
    forget(browser, keyOf(games.pop().id));
  }
  return remember(browser, LIST, JSON.stringify(games));
};

export const load = id => recall(browser, keyOf(id));

/** Calls `saved` when another tab has saved the game whose number `current()` gives. */
export const whenSavedElsewhere = (current, saved) => {
  window.addEventListener('storage', event => {
    if (event.newValue && event.key === `enfilade-${keyOf(current())}`) saved();
  });
};

/** Takes a game out. Returns a function that puts it back. */
export const discard = id => {
  const text = load(id);
  const game = savedGames().find(known => known.id === id);
  const list = games => remember(browser, LIST, JSON.stringify(games));
  forget(browser, keyOf(id));
  list(savedGames().filter(known => known.id !== id));
  return () => {
    if (remember(browser, keyOf(id), text)) list([...savedGames(), game].sort((a, b) => b.time - a.time));
  };
};

/** The game of this tab. */
export const currentId = () => recall(tab, CURRENT);
export const setCurrent = id => remember(tab, CURRENT, id);

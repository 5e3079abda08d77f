/** Keys as on lichess's analysis board. */

const KEYS = {
  ArrowLeft: 'back',
  k: 'back',
  ArrowRight: 'forward',
  j: 'forward',
  Home: 'first',
  0: 'first',
  End: 'last',
  $: 'last',
  ArrowUp: 'previousSibling',
  ArrowDown: 'nextSibling',
  K: 'previousFork',
  J: 'nextFork',
  Delete: 'remove',
  Escape: 'clear',
  f: 'flip',
  l: 'go',
  ' ': 'playBest',
  x: 'threat',
  a: 'toggleArrows',
  c: 'comment',
  g: 'glyphs',
  i: 'nextInaccuracy',
  m: 'nextMistake',
  b: 'nextBlunder',
  '+': 'more',
  '=': 'more',
  '-': 'fewer',
  '?': 'help',
};

const CONTROL_KEYS = { z: 'undo', Z: 'redo', y: 'redo' };
const SHIFT_KEYS = { ArrowLeft: 'previousFork', ArrowRight: 'nextFork' };

/** Has a key carry out the action of that name. */
export const listenToKeys = act => {
  document.addEventListener('keydown', event => {
    if (event.altKey || event.target.closest('input, textarea, select, dialog, .menu')) return;
    const isControl = event.ctrlKey || event.metaKey;
    const keys = isControl ? CONTROL_KEYS : event.shiftKey && SHIFT_KEYS[event.key] ? SHIFT_KEYS : KEYS;
    if (!Object.hasOwn(keys, event.key)) return;
    // Someone who has gone to a button with the keyboard presses it with the space bar.
    if (event.key === ' ' && event.target.closest('button:focus-visible, summary, [data-square]')) return;
    // On the board, arrow keys go from square to square.
    if (event.target.closest('[data-square]') && event.key.startsWith('Arrow')) return;
    event.preventDefault();
    act(keys[event.key]);
  });
};

/** Keys as shortcuts for the buttons with these names. */
const KEYS = {
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  Home: 'first',
  End: 'last',
  Delete: 'remove',
  f: 'flip',
  ' ': 'go',
  '+': 'more',
  '=': 'more',
  '-': 'fewer',
};

export const listenToKeys = () => {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return;
    if (event.target.closest('input, textarea, dialog')) return;
    // Someone who has gone to a button with the keyboard presses it with the space bar.
    if (event.key === ' ' && event.target.matches('button:focus-visible')) return;
    event.preventDefault();
    document.getElementById(KEYS[event.key]).click();
  });
};

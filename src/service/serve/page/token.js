/** The token with which the page asks the server. It comes from the address, `#token=...`, or from the user. */
import { recall, remember as note, tab } from './store.js';

const KEY = 'token';

/** Takes the token out of the address, so that it does not stay visible there. */
export const takeFromAddress = address => {
  const token = address.get('token');
  if (token !== null) remember(token);
  address.delete('token');
};

export const token = () => recall(tab, KEY) || '';

export const remember = text => note(tab, KEY, text);

/** Asks the user for a token, and says why. Tells whether there is one. */
export const askForToken = reason => {
  const dialog = document.getElementById('token-dialog');
  const input = document.getElementById('token');
  document.getElementById('token-error').textContent = reason;
  return new Promise(resolve => {
    dialog.addEventListener(
      'close',
      () => {
        const isGiven = dialog.returnValue === 'connect' && input.value.trim() !== '';
        if (isGiven) remember(input.value.trim());
        input.value = '';
        resolve(isGiven);
      },
      { once: true },
    );
    dialog.returnValue = '';
    dialog.showModal();
  });
};

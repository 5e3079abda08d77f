/** Remembers settings in the browser, as far as it allows that. */

/** For this tab: the token. */
export const tab = () => sessionStorage;
/** For all tabs and for later: how the user likes the board. */
export const browser = () => localStorage;

export const recall = (store, name) => {
  try {
    return store().getItem(`enfilade-${name}`);
  } catch {
    return null;
  }
};

export const remember = (store, name, value) => {
  try {
    store().setItem(`enfilade-${name}`, value);
  } catch {
    // Then the setting lasts as long as the page.
  }
};

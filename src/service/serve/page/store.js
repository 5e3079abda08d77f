/** Remembers settings and games in the browser, as far as it allows that. */

/** For this tab: the token, and which game it shows. */
export const tab = () => sessionStorage;
/** For all tabs and for later: games, and how the user likes the board. */
export const browser = () => localStorage;

export const recall = (store, name) => {
  try {
    return store().getItem(`enfilade-${name}`);
  } catch {
    return null;
  }
};

/** Tells whether it worked. A store may be full or closed; then what it should keep lasts as long as the page. */
export const remember = (store, name, value) => {
  try {
    store().setItem(`enfilade-${name}`, value);
    return true;
  } catch {
    return false;
  }
};

export const forget = (store, name) => {
  try {
    store().removeItem(`enfilade-${name}`);
  } catch {
    // Then there is nothing to forget.
  }
};

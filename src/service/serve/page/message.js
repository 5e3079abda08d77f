/** Tells the user something where it is seen: over the lower edge of the window, whatever the page shows. */

const SHOWN_MS = 9000;
const element = id => document.getElementById(id);
let timer = null;
let action = null;

/** Shows a message. `offer` may have the `name` of a button and what it does, `run`. */
export const tell = (text, { offer = null, isError = false } = {}) => {
  action = offer;
  const toast = element('toast');
  toast.classList.toggle('bad', isError);
  element('message').textContent = text;
  element('message-action').hidden = !offer;
  element('message-action').textContent = offer ? offer.name : '';
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(hide, isError ? 2 * SHOWN_MS : SHOWN_MS);
};

export const hide = () => {
  clearTimeout(timer);
  element('toast').hidden = true;
};

/** A message of the server as a sentence. */
export const sentence = text => {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
};

/** Runs what may fail, and tells the user why it did: in `place`, or as a message. */
export const attempt =
  (work, place = null) =>
  async input => {
    if (place) place.textContent = '';
    try {
      await work(input);
    } catch (error) {
      if (place) place.textContent = sentence(error.message);
      else tell(sentence(error.message), { isError: true });
    }
  };

element('message-close').addEventListener('click', hide);
element('message-action').addEventListener('click', () => {
  hide();
  action?.run();
});

/** The names, the event and the result of a game, which the user can change. */

const form = document.getElementById('tags');

/** `changed()` is called after each change. */
export const listenToTags = (game, changed) => {
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    const value = target.value.trim();
    game.name(target.name, value === '*' ? '' : value);
    changed();
  });
};

/** Puts the tags of a game into the form. */
export const fillTags = ({ tags }) => {
  for (const field of form.elements) {
    const value = tags.get(field.name) || '';
    field.value = field.name === 'Result' ? value || '*' : value;
  }
};

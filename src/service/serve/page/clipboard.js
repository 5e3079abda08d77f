/**
 * Puts the text of a field on the clipboard. Pages without TLS may not use it. There the text is selected, so that the
 * user can copy it; `reveal` makes the field visible.
 */
export const copy = async (button, field, reveal = () => {}) => {
  const name = button.textContent;
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    reveal();
    field.focus();
    field.select();
    return;
  }
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = name), 1500);
};

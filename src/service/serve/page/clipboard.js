/** Puts text on the clipboard. Pages without TLS may not use it, so the text goes into the field for pasting. */
export const copy = async (button, text) => {
  const name = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = name), 1500);
  } catch {
    const field = document.getElementById('text');
    field.value = text;
    field.select();
  }
};

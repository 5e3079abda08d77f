/** Opens and closes the page's dialogs. */

const element = id => document.getElementById(id);

export const open = dialog => {
  dialog.showModal();
  dialog.scrollTop = 0;
};

for (const dialog of document.querySelectorAll('dialog.sheet')) {
  for (const button of dialog.querySelectorAll('.close')) button.addEventListener('click', () => dialog.close());
  // A click beside the dialog closes it, as people expect. That of the token stays: without it nothing works.
  dialog.addEventListener('pointerdown', event => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (event.target === dialog && !isInside && dialog !== element('token-dialog')) dialog.close();
  });
}

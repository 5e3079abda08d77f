/** The menu of a move in the list. */

const element = id => document.getElementById(id);

/** `actions` are functions that get the position; they are named as the menu's items. Returns a function to open it. */
export const makeMenu = actions => {
  const menu = element('menu');
  let node = null;
  let opener = null;
  const close = () => {
    if (menu.hidden) return;
    menu.hidden = true;
    opener?.focus();
  };
  const names = {
    'menu-main': 'main',
    'menu-promote': 'promote',
    'menu-comment': 'comment',
    'menu-copy': 'copy',
    'menu-remove': 'remove',
  };
  for (const item of menu.children) {
    item.addEventListener('click', () => {
      close();
      actions[names[item.id]](node);
    });
  }
  document.addEventListener('pointerdown', event => {
    if (!event.target.closest('.menu')) menu.hidden = true;
  });
  // A finger that has opened the menu may have left the focus elsewhere.
  document.addEventListener(
    'keydown',
    event => {
      if (menu.hidden || event.key !== 'Escape') return;
      close();
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  menu.addEventListener('keydown', event => {
    const items = [...menu.children].filter(item => !item.disabled);
    const index = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Tab') close();
    else if (step) items[(index + step + items.length) % items.length].focus();
    else return;
    event.preventDefault();
  });
  return (place, isMain, x, y) => {
    node = place;
    opener = document.activeElement;
    element('menu-main').disabled = isMain || !place.move;
    element('menu-promote').disabled = isMain || !place.move;
    element('menu-copy').disabled = !place.move;
    element('menu-remove').disabled = !place.move;
    menu.hidden = false;
    menu.style.left = `${Math.min(x, window.innerWidth - menu.offsetWidth - 8)}px`;
    menu.style.top = `${Math.min(y, window.innerHeight - menu.offsetHeight - 8)}px`;
    [...menu.children].find(item => !item.disabled).focus();
  };
};

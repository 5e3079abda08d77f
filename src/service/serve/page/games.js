/** Lists the games that the browser keeps, and opens them. */
import { open } from './dialogs.js';
import { countOf } from './importing.js';
import { discard, savedGames } from './library.js';

const element = id => document.getElementById(id);
const dialog = element('games-dialog');

/** `show` gets the number of a game. `current()` is that of the game that is shown. `begin` begins another one. */
export const listGames = ({ show, current, begin }) => {
  const list = () => {
    const games = savedGames();
    element('games-none').hidden = games.length > 0;
    const items = games.map(game => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      const when = new Date(game.time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
      const here = game.id === current() ? ' (shown)' : '';
      button.textContent = `${game.title} · ${countOf(game.moves)} · ${when}${here}`;
      button.addEventListener('click', () => {
        dialog.close();
        if (!here) show(game.id);
      });
      const away = document.createElement('button');
      away.className = 'away';
      away.textContent = '✕';
      away.setAttribute('aria-label', `Forget ${game.title}`);
      away.disabled = Boolean(here);
      away.addEventListener('click', () => {
        const bringBack = discard(game.id);
        const undo = document.createElement('button');
        undo.textContent = `Bring back ${game.title}`;
        undo.addEventListener('click', () => {
          bringBack();
          list();
        });
        item.replaceChildren(undo);
        undo.focus();
      });
      item.append(button, away);
      return item;
    });
    element('games').replaceChildren(...items);
  };
  element('open-games').addEventListener('click', () => {
    list();
    open(dialog);
  });
  element('new-game').addEventListener('click', () => {
    dialog.close();
    begin();
  });
};

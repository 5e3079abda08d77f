/** Hands the game on: as a link, and as PGN. */
import { addressOf } from './address.js';
import { copy } from './clipboard.js';
import { open } from './dialogs.js';
import { pgnOf } from './pgn.js';
import { fillTags, listenToTags } from './tags.js';

const element = id => document.getElementById(id);

/** A name for the file of a game, without what some systems do not allow in names. */
const fileNameOf = ({ tags }) => {
  const parts = ['White', 'Black', 'Date'].map(name => tags.get(name) || '').filter(part => /[^?.]/.test(part));
  return `${parts.join(' - ').replace(/[^\p{L}\p{N} .,'-]/gu, '').slice(0, 100).trim() || 'game'}.pgn`;
};

export const listenToSharing = game => {
  element('open-share').addEventListener('click', () => {
    const { origin, pathname, search } = window.location;
    element('link').value = origin + pathname + search + addressOf(game.tree, game.node);
    element('pgn').value = pgnOf(game.tree);
    fillTags(game.tree);
    open(element('share-dialog'));
  });
  listenToTags(game, () => (element('pgn').value = pgnOf(game.tree)));
  element('copy-link').addEventListener('click', () => copy(element('copy-link'), element('link')));
  element('copy-shared').addEventListener('click', () => copy(element('copy-shared'), element('pgn')));
  element('download').addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([element('pgn').value], { type: 'application/x-chess-pgn' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileNameOf(game.tree);
    link.click();
    URL.revokeObjectURL(url);
  });
  element('copy-fen').addEventListener('click', () => copy(element('copy-fen'), element('fen')));
  element('copy-pgn').addEventListener('click', () => {
    element('pgn').value = pgnOf(game.tree);
    // Without a clipboard the text must be where it can be seen.
    const isOpen = () => element('share-dialog').open || open(element('share-dialog'));
    copy(element('copy-pgn'), element('pgn'), isOpen);
  });
};

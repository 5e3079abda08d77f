/** Keeps the game in the page's address, so that it survives a reload and can be handed on. */

export const readAddress = () => new URLSearchParams(location.hash.slice(1));

/** The question by which the server gets the game of an address. */
export const gameOf = address => ({
  ...(address.get('fen') && { fen: address.get('fen') }),
  moves: (address.get('moves') || '').split(',').filter(Boolean),
  chess960: address.get('chess960') === '1',
});

/** The number of moves after which the game of an address is shown. */
export const plyOf = address => (address.has('ply') ? Number(address.get('ply')) : Infinity);

/** Notes a line of the game and the position that is shown. */
export const writeAddress = (tree, line, node, usualStart) => {
  const address = new URLSearchParams();
  if (tree.root.fen !== usualStart) address.set('fen', tree.root.fen);
  if (tree.chess960) address.set('chess960', '1');
  if (line.length > 1)
    address.set(
      'moves',
      line
        .slice(1)
        .map(place => place.move.uci)
        .join(','),
    );
  if (node !== line.at(-1)) address.set('ply', node.ply);
  const text = address.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
};

/** A game as text for the browser's store, and back. It has everything but what the server can tell again. */
import { GameTree } from './tree.js';

const FIELDS = ['before', 'comment', 'commands', 'nags', 'shapes', 'best', 'judged', 'opening', 'line', 'isByEngine'];

/** Only what is not empty. */
const contentOf = node => {
  const content = {};
  for (const name of FIELDS) {
    const value = node[name];
    if (value && (!Array.isArray(value) || value.length)) content[name] = value;
  }
  return content;
};

export const textOf = (tree, node) => {
  const places = new Map();
  const nodes = [];
  for (const place of tree.all()) {
    places.set(place, nodes.length);
    nodes.push({
      ...contentOf(place),
      ...(place.parent && { parent: places.get(place.parent), move: place.move }),
      fen: place.fen,
    });
  }
  const { chess960, tags, report, isTurned } = tree;
  return JSON.stringify({ version: 1, chess960, tags: [...tags], report, isTurned, current: places.get(node), nodes });
};

/** The tree of a text, and the position that was shown. Throws an error if the text is none of these. */
export const fromText = text => {
  const { version, chess960, tags, report, isTurned, current, nodes } = JSON.parse(text);
  if (version !== 1) throw new Error('This game was saved by another version of the page.');
  const tree = new GameTree(nodes[0].fen, chess960, tags);
  Object.assign(tree, { report, isTurned });
  const places = nodes.map(() => null);
  nodes.forEach(({ parent, move, fen, ...content }, index) => {
    const node = index ? tree.play(places[parent], { ...move, fen }) : tree.root;
    places[index] = Object.assign(node, content);
  });
  return { tree, node: places[current] || tree.root };
};

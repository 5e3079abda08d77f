/** What the user can do by buttons and keys. */
import { change, settings } from './settings.js';
import { attempt, tell } from './message.js';
import { open } from './dialogs.js';
import { lineText } from './pgn.js';
import { nextFault } from './report.js';
import { linesOf } from './search.js';

const element = id => document.getElementById(id);

/** Faults by their glyphs. */
const INACCURACY = [6];
const MISTAKE = [2];
const BLUNDER = [4];

export const makeActions = ({ game, analysis, notes, flip, clear }) => {
  const undoButton = { name: 'Undo', run: () => actions.undo() };

  const steps = {
    first: () => game.select(game.tree.root),
    back: () => game.node.parent && game.select(game.node.parent),
    forward: () => game.node.children.length && game.select(game.node.children[0]),
    last: () => game.select(game.tree.line(game.node).at(-1)),
    previousSibling: () => sibling(-1),
    nextSibling: () => sibling(1),
    previousFork() {
      let { node } = game;
      while (node.parent && (node === game.node || node.children.length < 2)) node = node.parent;
      game.select(node);
    },
    nextFork() {
      let { node } = game;
      while (node.children.length && (node === game.node || node.children.length < 2)) [node] = node.children;
      game.select(node);
    },
  };

  function sibling(by) {
    const { parent } = game.node;
    if (!parent) return;
    const { children } = parent;
    game.select(children[(children.indexOf(game.node) + by + children.length) % children.length]);
  }

  const faults = nags => () => {
    const found = nextFault(game.tree.line(game.node), game.node, nags);
    if (found) game.select(found);
    else tell(game.tree.report ? 'There is none in this line.' : 'None is known in this line. Analyze all finds them.');
  };

  function remove(node = game.node) {
    const name = node.move && `${node.move.number} ${node.move.san}`;
    const count = game.remove(node);
    if (!count) return;
    const more = count > 1 ? ` and ${count - 1} ${count > 2 ? 'moves' : 'move'} after it` : '';
    tell(`${name}${more} deleted.`, { offer: undoButton });
  }

  const actions = {
    ...steps,
    remove: () => remove(),
    undo() {
      const name = game.steps.undo();
      tell(name ? `Undone: ${name}.` : 'There is nothing to undo.');
    },
    redo() {
      const name = game.steps.redo();
      tell(name ? `Done again: ${name}.` : 'There is nothing to do again.');
    },
    nextInaccuracy: faults(INACCURACY),
    nextMistake: faults(MISTAKE),
    nextBlunder: faults(BLUNDER),
    nextFault: faults([...INACCURACY, ...MISTAKE, ...BLUNDER]),
    go: () => change({ isOn: !settings.isOn }),
    fewer: () => change({ lines: Math.max(1, analysis.lines - 1) }),
    more: () => change({ lines: Math.min(analysis.mostLines, analysis.lines + 1) }),
    toggleArrows: () => change({ arrows: !settings.arrows }),
    threat() {
      if (!analysis.toggleThreat()) tell('In check, and after the end of the game, there is no threat to show.');
    },
    playBest: attempt(async () => {
      const best = linesOf(game.node)[0]?.pv[0];
      if (best) await game.play([best]);
    }),
    comment: () => notes.comment(),
    glyphs: () => notes.glyphs(),
    help: () => open(element('help-dialog')),
    flip,
    clear,
  };

  /** What the menu of a move can do. */
  const menuActions = {
    main: node => game.promote(node, true),
    promote: node => game.promote(node, false),
    remove,
    async comment(node) {
      await game.select(node);
      notes.comment();
    },
    async copy(node) {
      const text = lineText(game.tree.path(node));
      const isCopied = await navigator.clipboard?.writeText(text).then(
        () => true,
        () => false,
      );
      tell(isCopied ? 'The line is on the clipboard.' : text);
    },
  };

  for (const name of ['first', 'back', 'forward', 'last', 'remove', 'undo', 'go', 'fewer', 'more', 'flip']) {
    document.getElementById(name).addEventListener('click', () => game.tree && actions[name]());
  }
  element('next-fault').addEventListener('click', () => actions.nextFault());
  element('open-help').addEventListener('click', () => actions.help());
  return { actions, menuActions };
};

/** The analysis board: joins the game, the board, the engine and everything that shows them. */
import { makeActions } from './actions.js';
import { gameOf, hasGame, plyOf, readAddress } from './address.js';
import { Analysis } from './analysis.js';
import { Arrows } from './arrows.js';
import { keepGame, lastGame } from './autosave.js';
import { BoardView } from './board.js';
import { BoardShow } from './boardshow.js';
import { Display } from './display.js';
import { Editor } from './editor.js';
import { Game } from './game.js';
import { listGames } from './games.js';
import { listenToGestures } from './gestures.js';
import { Importing } from './importing.js';
import { listenToKeys } from './keys.js';
import { load as loadText, setCurrent } from './library.js';
import { Lines } from './lines.js';
import { makeMenu } from './menu.js';
import { attempt, sentence, tell } from './message.js';
import { MoveList } from './movelist.js';
import { choosePromotion, Moving } from './moving.js';
import { Notes } from './notes.js';
import { ask } from './positions.js';
import { Preview } from './preview.js';
import { listenToReview } from './reviewing.js';
import { fromText } from './saved.js';
import { onSettings } from './settings.js';
import { Shapes } from './shapes.js';
import { listenToSharing } from './sharing.js';
import { Speller } from './speller.js';
import { Squares } from './squares.js';
import { listenToTables, showTables } from './tables.js';
import { takeFromAddress } from './token.js';
import { GameTree } from './tree.js';
import { open } from './dialogs.js';

const element = id => document.getElementById(id);
const game = new Game();
const board = new BoardView(element('board'));

// Both copy the board, which must not have other drawings yet.
const editor = new Editor(board, openPosition);
const lines = new Lines(element('lines'), line => attempt(() => game.play(line.map(move => move.uci)))());
new Preview(
  board,
  element('lines'),
  button => lines.movesTo(button),
  () => game.tree.describe(game.node),
);

const arrows = new Arrows(board);
const moving = new Moving(board, moves => attempt(playLegal)(moves), nameSquares);
const squares = new Squares(board, name => moving.choose(name));
const shapes = new Shapes(
  board,
  event => moving.square(event),
  list => game.change('the drawing', game.node, 'shapes', list),
);
const moveList = new MoveList(
  element('moves'),
  id => game.select(game.tree.find(id)),
  (id, x, y) => {
    const node = game.tree.find(id);
    const isMain = game.tree.path(node).every(place => !place.parent || place.parent.children[0] === place);
    openMenu(node, isMain, x, y);
  },
);
const notes = new Notes(game);
const boardShow = new BoardShow({ game, board, moving, shapes, arrows });
const speller = new Speller(() => display.paint());
const analysis = new Analysis(game, {
  changed: () => display.paint(),
  note: text => display.note(text),
  named: name => (element('engine').textContent = name),
  connection: (...state) => display.connection(...state),
  opened() {
    if (!game.tree) start();
    else if (!game.node.details) game.select(game.node);
    else analysis.later();
  },
});
const display = new Display({ game, analysis, lines, arrows, speller });

const { actions, menuActions } = makeActions({
  game,
  analysis,
  notes,
  flip() {
    boardShow.flip();
    display.paint();
  },
  clear() {
    moving.select(null);
    if (game.node?.shapes.length) game.change('clearing the drawings', game.node, 'shapes', []);
  },
});
const openMenu = makeMenu(menuActions);
const importing = new Importing({ load: (tree, node) => game.load(tree, node), undo: () => actions.undo() });

function nameSquares() {
  squares.name(moving.selected, moving.targets);
}

async function playLegal(moves) {
  const move = await choosePromotion(moves, game.node.details.turn, board);
  if (move) await game.play([move.uci]);
}

// What happens with the game.

game.on('shaped', () => moveList.show(game.tree.root, game.tree.tags, game.node));
game.on('moved', () => {
  moveList.mark(game.node);
  speller.spell(game.node, game.tree.chess960);
});
game.on('moved known', () => showTables(game.node));
game.on('known', nameSquares);
game.on('evaluated', node => {
  moveList.evaluate(node);
  if (node === game.node) speller.spell(node, game.tree.chess960);
});
game.on('failed', error => tell(sentence(error.message), { isError: true }));
onSettings(() => display.paint());

// What the user does.

listenToKeys(name => game.node && actions[name]());
listenToSharing(game);
listenToReview(game);
listenToTables(uci => attempt(() => game.play([uci]))());
listenToGestures(board.svg, event => !moving.canMove(moving.square(event)) && !moving.selected, actions);
listGames({
  show(id) {
    const text = loadText(id);
    if (!text) return;
    const { tree, node } = fromText(text);
    game.load(tree, node, id);
  },
  current: () => game.tree?.id,
  begin: () => attempt(() => importing.begin())(),
});
element('open-editor').addEventListener('click', () => game.tree && editor.open(game.node.fen, game.tree.chess960));
element('open-settings').addEventListener('click', () => open(element('settings-dialog')));
element('connect').addEventListener('click', () => analysis.connection.connect());
element('move-form').addEventListener('submit', event => {
  event.preventDefault();
  attempt(async () => {
    const field = element('move');
    const typed = field.value;
    // Somebody may type the next move before this one is played.
    field.value = '';
    try {
      await game.play([], typed.trim());
    } catch (error) {
      field.value ||= typed;
      throw error;
    }
  }, element('move-error'))();
});
element('game-graph').addEventListener('click', event => {
  const frame = event.currentTarget.getBoundingClientRect();
  const line = game.tree.line(game.node);
  game.select(line[Math.round(((event.clientX - frame.left) / frame.width) * (line.length - 1))]);
});
window.addEventListener('hashchange', attempt(openAddress));

// The first game.

async function openPosition(fen, chess960) {
  const answer = await ask({ fen, chess960 });
  const tree = new GameTree(answer.start, answer.chess960);
  game.load(tree, tree.root);
}

/** The tree of an address and what was changed in it. A report's page hands on its whole game as PGN. */
async function treeOf(address) {
  if (address.has('pgn')) {
    const answer = await ask({ text: address.get('pgn') }, 'game');
    const notes = [...answer.repairs, ...answer.warnings, answer.cut].filter(Boolean);
    return { tree: Object.assign(GameTree.of(answer), { isAnalyzed: true }), notes };
  }
  const answer = await ask(gameOf(address));
  const tree = new GameTree(answer.start, answer.chess960);
  let node = tree.root;
  for (const move of answer.moves) node = tree.play(node, move);
  return { tree, notes: answer.repairs };
}

/** Shows the game of the address; if it has none that can be played, the usual start. */
async function openAddress() {
  const address = readAddress();
  takeFromAddress(address);
  const { tree, notes } = await treeOf(address).catch(async error => {
    // A game that is shown already stays.
    if (game.tree) throw error;
    const { start } = await ask({});
    tell(`This link has no game. ${sentence(error.message)}`, { isError: true });
    return { tree: new GameTree(start, false), notes: [] };
  });
  const line = tree.line(tree.root);
  game.load(tree, line[Math.min(plyOf(address), line.length - 1)]);
  if (notes.length) tell(notes.map(sentence).join(' '));
}

let opening = null;

/** Shows the first game. Until that has worked, each connection tries again. */
function start() {
  opening ||= attempt(openAddress)().finally(() => (opening = null));
}

const address = readAddress();
takeFromAddress(address);
keepGame(game);
const last = lastGame();
if (last) {
  game.load(last.tree, last.node, last.id);
} else {
  if (!hasGame(address)) setCurrent('');
  start();
}
analysis.connection.connect();

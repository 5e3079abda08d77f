/** The analysis board: joins the game, the board, the engine and everything that shows them. */
import { gameOf, plyOf, readAddress, writeAddress } from './address.js';
import { Arrows, arrowsOf } from './arrows.js';
import { BoardView } from './board.js';
import { copy } from './clipboard.js';
import { Connection } from './connection.js';
import { Engine } from './engine.js';
import { showEvaluation } from './evaluation.js';
import { showFigures } from './figures.js';
import { drawGraph, gamePoints, searchPoints } from './graph.js';
import { parseInfo } from './info.js';
import { listenToKeys } from './keys.js';
import { Lines } from './lines.js';
import { MoveList } from './movelist.js';
import { choosePromotion, Moving } from './moving.js';
import { ask } from './positions.js';
import { Preview } from './preview.js';
import { evaluationOfResult, Search } from './search.js';
import { Speller } from './speller.js';
import { showPlayers, showStatus } from './status.js';
import { browser, recall, remember } from './store.js';
import { takeFromAddress } from './token.js';
import { GameTree } from './tree.js';

const USUAL_START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
/** A search this deep is believed, though an earlier one was deeper. */
const SOUND_DEPTH = 10;
/** In `Analyze all` each position is searched so long. */
const WALK_MS = 1000;
/** Someone who holds a key down passes many positions. The engine is not asked about them. */
const PASSING_MS = 120;

const element = id => document.getElementById(id);
const board = new BoardView(element('board'));
const moveList = new MoveList(element('moves'), id => select(tree.find(id)));
const lines = new Lines(element('lines'), line => attempt(play)(line.map(move => move.uci)));
const speller = new Speller(paint);
// It copies the board, which must not have other drawings yet.
new Preview(
  board,
  element('lines'),
  button => lines.movesTo(button),
  () => tree.describe(node),
);
const arrows = new Arrows(board);
const moving = new Moving(board, moves => attempt(playLegal)(moves));

let tree = null;
/** The position that is shown. */
let node = null;
let isOn = recall(browser, 'on') !== 'no';
let lineCount = Number(recall(browser, 'lines')) || 1;
/** The server may allow fewer. */
let mostLines = 5;
/** The search that runs, by the position that the engine was asked about. */
let asked = null;

// Positions and moves.

async function load(question, ply = Infinity) {
  const answer = await ask(question);
  tree = new GameTree(answer);
  const line = tree.line(tree.root);
  element('error').textContent = answer.repairs.join('. ');
  moveList.show(tree.root);
  showPlayers(tree.tags);
  // Of a game, people first see the start; of moves that they entered, the end.
  select(line[Math.min(ply, line.length - 1)]);
}

/** The positions that `Analyze all` will still show. */
let walk = [];
/** When it may go on. */
let walkTime = 0;

/** Shows a position, and has it analyzed. */
async function select(next, positions = []) {
  walk = positions;
  node = next;
  board.show(node.fen, node.move ? node.move.squares : []);
  moving.allow([]);
  moveList.mark(node);
  element('fen').value = node.fen;
  element('note').hidden = true;
  showStatus(board, node);
  speller.spell(node, tree.chess960);
  paint();
  try {
    next.details ||= await ask(tree.describe(next));
  } catch (error) {
    if (node === next) element('status').textContent = error.message;
    return;
  }
  const { result, status } = next.details;
  if (result && !next.best) {
    next.best = evaluationOfResult(result, status === 'checkmate');
    moveList.evaluate(next);
  }
  // Meanwhile the user may have gone on.
  if (node !== next) return;
  moving.allow(node.details.legal);
  showStatus(board, node);
  analyze();
}

async function playLegal(moves) {
  const move = await choosePromotion(moves, node.details.turn);
  if (move) await play([move.uci]);
}

/** Plays moves from the position that is shown, in either notation. */
async function play(moves) {
  const from = node;
  const known = tree.describe(from);
  const answer = await ask({ ...known, moves: [...known.moves, ...moves] });
  const added = answer.moves.slice(known.moves.length);
  const last = added.reduce((place, move) => tree.play(place, move, move.fen), from);
  last.details = answer;
  moveList.show(tree.root);
  select(last);
}

/** Runs what may fail, and tells the user why it did. */
const attempt = work => async input => {
  element('error').textContent = '';
  try {
    await work(input);
  } catch (error) {
    element('error').textContent = error.message;
  }
};

// The engine.

const engine = new Engine(line => connection.send(line), {
  named: name => (element('engine').textContent = name),
  limited(most) {
    mostLines = Math.min(mostLines, most);
    changeLines(0);
  },
  info: heard,
  changed: paint,
});

const connection = new Connection({
  opened() {
    engine.greet();
    if (!tree) start();
    else if (!node.details) select(node);
    else analyze();
  },
  line: line => engine.receive(line),
  lost() {
    engine.reset();
    paint();
  },
  state(text, isGood, canTry) {
    element('connect').hidden = !canTry;
    element('connection').textContent = text;
    element('connection').classList.toggle('bad', !isGood);
  },
});

let timer = null;

/** Has the position analyzed that is shown. */
function analyze() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    writeAddress(tree, tree.line(node), node, USUAL_START);
    if (!isOn || isOver()) {
      engine.stop();
      paint();
      goOn();
      return;
    }
    engine.analyze({ node, ...tree.describe(node) }, lineCount);
    // The engine has nothing more to say about a mate, so the clock of the page decides too.
    walkTime = performance.now() + WALK_MS;
    if (walk.length) setTimeout(goOn, WALK_MS + PASSING_MS);
    paint();
  }, PASSING_MS);
}

const isOver = () => Boolean(node.details) && node.details.legal.length === 0;

/** Goes to the next position of `Analyze all`, if this one has been searched. */
function goOn() {
  const isSeen = isOver() || (node.search && node.search.best && performance.now() >= walkTime);
  if (walk.length && isSeen) select(walk[0], walk.slice(1));
}

function heard(line, position) {
  const place = position.node;
  const info = parseInfo(line, place.fen.split(' ')[1] === 'w' ? 'white' : 'black');
  if (info.text) {
    element('note').hidden = false;
    element('note').textContent = info.text;
    return;
  }
  // Until a new search says something, what the last one said stays.
  if (asked !== position) place.search = new Search();
  asked = position;
  place.search.add(info);
  const { best } = place.search;
  // The first depths of a new search do not replace what an earlier one has found.
  if (best && (!place.best || best.depth >= Math.min(place.best.depth, SOUND_DEPTH))) {
    place.best = best;
    moveList.evaluate(place);
  }
  if (place === node) {
    speller.spell(node, tree.chess960);
    paint();
    goOn();
  }
}

// What is shown.

let isDue = false;

/** Shows everything about the engine with the next frame. */
function paint() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    if (node) show();
  });
}

function show() {
  const { search } = node;
  showEvaluation(node.best || null);
  showFigures(search);
  const count = Math.min(lineCount, node.details ? node.details.legal.length : lineCount);
  const best = search ? search.lines.slice(0, count) : [];
  lines.show(node.fen, best, speller.of(node), count);
  arrows.show(arrowsOf(best, speller.of(node)));
  const line = tree.line(node);
  drawGraph(element('search-graph'), searchPoints(search));
  drawGraph(element('game-graph'), gamePoints(line), line.length > 1 ? line.indexOf(node) / (line.length - 1) : null);
  element('go').textContent = isOn ? 'Stop' : 'Go';
  element('go').setAttribute('aria-pressed', isOn);
  element('progress').textContent = progress();
  element('count').textContent = lineCount;
  element('fewer').disabled = lineCount === 1;
  element('more').disabled = lineCount === mostLines;
  element('remove').disabled = !node.parent;
  element('walk').setAttribute('aria-pressed', walk.length > 0);
}

function progress() {
  if (engine.isSearching) return 'searching';
  if (isOver()) return 'game over';
  if (!isOn) return 'stopped';
  return engine.isFinished ? 'finished' : 'waiting';
}

// What the user does.

function changeLines(by) {
  lineCount = Math.min(Math.max(lineCount + by, 1), mostLines);
  remember(browser, 'lines', lineCount);
  paint();
  if (engine.isSearching) analyze();
}

/** What can be done with a game. */
const gameActions = {
  first: () => select(tree.root),
  back: () => node.parent && select(node.parent),
  forward: () => node.children.length && select(node.children[0]),
  last: () => select(tree.line(node).at(-1)),
  remove() {
    const before = tree.remove(node);
    moveList.show(tree.root);
    select(before);
  },
  walk() {
    isOn = true;
    const line = walk.length ? [node] : tree.line(node);
    select(line[0], line.slice(1));
  },
  go() {
    walk = [];
    isOn = !isOn;
    remember(browser, 'on', isOn ? 'yes' : 'no');
    analyze();
  },
  'copy-fen': () => copy(element('copy-fen'), node.fen),
  'copy-pgn': () => copy(element('copy-pgn'), tree.pgn(USUAL_START)),
};

/** What can be done before there is one. */
const actions = {
  flip() {
    board.flip();
    moving.draw();
    arrows.draw();
    element('gauge').classList.toggle('is-flipped', board.isFlipped);
  },
  fewer: () => changeLines(-1),
  more: () => changeLines(1),
  reset: attempt(() => load({})),
  connect: () => connection.connect(),
};

for (const [name, action] of Object.entries(gameActions)) {
  element(name).addEventListener('click', () => tree && action());
}
for (const [name, action] of Object.entries(actions)) {
  element(name).addEventListener('click', action);
}
element('move-form').addEventListener(
  'submit',
  attempt(async event => {
    event.preventDefault();
    await play([element('move').value.trim()]);
    element('move').value = '';
  }),
);
element('load-form').addEventListener(
  'submit',
  attempt(async event => {
    event.preventDefault();
    const text = element('text').value;
    const isGame = text.includes('[');
    await load({ text, chess960: element('chess960').checked }, isGame ? 0 : Infinity);
    element('text').value = '';
  }),
);
element('game-graph').addEventListener('click', event => {
  const frame = event.currentTarget.getBoundingClientRect();
  const line = tree.line(node);
  select(line[Math.round(((event.clientX - frame.left) / frame.width) * (line.length - 1))]);
});
window.addEventListener('hashchange', attempt(open));

/** Shows the game of the address. */
async function open() {
  const address = readAddress();
  takeFromAddress(address);
  await load(gameOf(address), plyOf(address));
}

let opening = null;

/** Shows the first game. Until that has worked, each connection tries again. */
function start() {
  opening ||= attempt(open)().finally(() => (opening = null));
}

takeFromAddress(readAddress());
listenToKeys();
start();
connection.connect();

const element = id => document.getElementById(id);
const board = new BoardView(element('board'));
const list = element('moves');
const main = [...list.querySelectorAll('.m[data-ply]')];
const graph = element('graph');
const cursor = element('cursor');
const chances = [...document.querySelectorAll('#chances rect')];
const toBoard = element('to-board');
let current = main[0];
/* The address of the whole game on the board. Programs cut off addresses that are much longer; such a game goes there
   with its moves alone. */
const LONGEST_ADDRESS = 500000;
const whole = toBoard ? `${toBoard.dataset.board}#pgn=${encodeURIComponent(element('pgn').value)}` : '';
const boardAddress = whole.length < LONGEST_ADDRESS ? whole : toBoard.href;
/* The faulty move for which the reader looks for a better one. */
let asked = null;

/* Draws the best move as an arrow. */
const showArrow = best => {
  board.svg.querySelector('.arrow')?.remove();
  if (!best) return;
  const [from, to] = [best.slice(0, 2), best.slice(2, 4)].map(name => board.corner(name).map(at => at + 50));
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(x, y);
  const path = document.createElementNS(board.svg.namespaceURI, 'path');
  path.setAttribute('class', 'arrow');
  path.setAttribute('transform', `translate(${from}) rotate(${(Math.atan2(y, x) * 180) / Math.PI})`);
  path.setAttribute('d', `M20 -9H${length - 40}V-26L${length} 0L${length - 40} 26V9H20z`);
  board.svg.append(path);
};

const show = (move, question = null) => {
  asked = question;
  current.classList.remove('on');
  current.removeAttribute('aria-current');
  current = move;
  move.classList.add('on');
  move.setAttribute('aria-current', 'true');
  const last = move.dataset.move || '';
  board.show(move.dataset.fen, [last.slice(0, 2), last.slice(2, 4)]);
  element('info').textContent = question ? `${question.dataset.fault}. Which move is better?` : move.dataset.info;
  element('learn').textContent = question ? 'Show it' : 'Next mistake';
  showArrow(question ? null : move.dataset.best);
  const lines = question ? null : element(`l${move.dataset.ply}`);
  element('lines').replaceChildren(...(lines ? lines.cloneNode(true).childNodes : []));
  element('fen').value = move.dataset.fen;
  if (toBoard && move.dataset.ply) toBoard.href = `${boardAddress}&ply=${move.dataset.ply}`;
  let x = 0;
  const parts = question ? '0 0 0' : move.dataset.wdl || '0 0 0';
  parts.split(' ').map(Number).forEach((width, index) => {
    chances[index].setAttribute('x', x);
    chances[index].setAttribute('width', width);
    x += width;
  });
  if (cursor && move.dataset.x) {
    cursor.setAttribute('x1', move.dataset.x);
    cursor.setAttribute('x2', move.dataset.x);
  }
  // Only the list scrolls, not the page.
  const top = move.offsetTop;
  const bottom = top + move.offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top - 20;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 20;
};

/* The moves among which the reader steps: those of a line beside the game, or of the game. */
const movesOf = move => {
  const line = move.closest('.line');
  return line ? [...line.querySelectorAll('.m')].filter(other => other.closest('.line') === line) : main;
};
const step = by => {
  const moves = movesOf(current);
  const next = moves[moves.indexOf(current) + by];
  const line = current.closest('.line');
  if (next) show(next);
  else if (by < 0 && line) show(element(line.dataset.after));
};
const jump = place => show(main.at(place));
const flip = () => {
  board.flip();
  showArrow(asked ? null : current.dataset.best);
};
const learn = () => {
  if (asked) {
    show(current);
    return;
  }
  const faults = main.filter(move => move.dataset.fault);
  const place = current.closest('.line') ? element(current.closest('.line').dataset.after) : current;
  const fault = faults.find(move => Number(move.dataset.ply) > Number(place.dataset.ply) + 1) || faults[0];
  if (fault) show(main[main.indexOf(fault) - 1], fault);
};

const actions = { first: () => jump(0), back: () => step(-1), forward: () => step(1), last: () => jump(-1), flip, learn };
for (const [name, action] of Object.entries(actions)) element(name).addEventListener('click', action);
element('learn').hidden = !main.some(move => move.dataset.fault);
const keys = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last', f: 'flip', n: 'learn' };
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  if (event.target.matches('input, textarea')) return;
  event.preventDefault();
  actions[keys[event.key]]();
});
document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#p"]');
  if (!link) return;
  event.preventDefault();
  show(link.dataset.fen ? link : element(link.getAttribute('href').slice(1)));
  if (link.closest('.moments, .all-lines')) board.svg.scrollIntoView({ block: 'nearest' });
});
if (graph) {
  graph.addEventListener('click', event => {
    if (event.target.closest('a')) return;
    const frame = graph.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width * 1000;
    const distance = move => Math.abs(move.dataset.x - x);
    show(main.filter(move => move.dataset.x).reduce((a, b) => distance(b) < distance(a) ? b : a));
  });
}
element('save').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([element('pgn').value], { type: 'application/x-chess-pgn' }));
  link.download = 'game.pgn';
  link.click();
  URL.revokeObjectURL(link.href);
});
/* Whoever comes back from the board finds the same position. */
toBoard?.addEventListener('click', () => {
  if (current.id) history.replaceState(null, '', `#${current.id}`);
});
document.documentElement.classList.add('js');
const wanted = element(location.hash.slice(1));
show(wanted && wanted.matches('a.m') ? wanted : main[0]);

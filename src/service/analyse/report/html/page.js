const board = new BoardView(document.getElementById('board'));
const list = document.getElementById('moves');
const main = [...list.querySelectorAll('.m[data-ply]')];
const graph = document.getElementById('graph');
const cursor = document.getElementById('cursor');
const chances = [...document.querySelectorAll('#chances rect')];
let current = main[0];

const show = move => {
  current.classList.remove('on');
  current.removeAttribute('aria-current');
  current = move;
  move.classList.add('on');
  move.setAttribute('aria-current', 'true');
  const last = move.dataset.move || '';
  board.show(move.dataset.fen, [last.slice(0, 2), last.slice(2, 4)]);
  document.getElementById('info').textContent = move.dataset.info;
  let x = 0;
  (move.dataset.wdl || '0 0 0').split(' ').map(Number).forEach((width, index) => {
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

const line = move => {
  const better = move.closest('.better');
  return better ? [...better.querySelectorAll('.m')] : main;
};
const step = by => {
  const moves = line(current);
  const next = moves[moves.indexOf(current) + by];
  const better = current.closest('.better');
  if (next) show(next);
  else if (by < 0 && better) show(document.getElementById(better.dataset.after));
};
const jump = place => show(main.at(place));
const flip = () => board.flip();

const actions = { first: () => jump(0), back: () => step(-1), forward: () => step(1), last: () => jump(-1), flip };
for (const [name, action] of Object.entries(actions)) {
  document.getElementById(name).addEventListener('click', action);
}
const keys = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last', f: 'flip' };
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  actions[keys[event.key]]();
});
document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#p"]');
  if (!link) return;
  event.preventDefault();
  show(link.dataset.fen ? link : document.getElementById(link.getAttribute('href').slice(1)));
  if (link.closest('.moments')) board.svg.scrollIntoView({ block: 'nearest' });
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
document.documentElement.classList.add('js');
const wanted = document.getElementById(location.hash.slice(1));
show(wanted && wanted.matches('a.m') ? wanted : main[0]);

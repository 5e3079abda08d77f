/** The list of moves: a row for each pair of moves, and a paragraph for each variation. */
import { shownScore } from './search.js';

const made = (name, className, text = '') => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
};

const isWhites = node => !node.move.number.endsWith('...');

export class MoveList {
  /** `select` gets the number of the position that the user chose. */
  constructor(list, select) {
    this.list = list;
    list.addEventListener('click', event => {
      const entry = event.target.closest('button.m');
      if (entry) select(Number(entry.dataset.id));
    });
    // More lines of the engine leave less room for the list.
    new ResizeObserver(() => this.reveal()).observe(list);
  }

  /** Lists all moves of a game. */
  show(root) {
    this.list.replaceChildren();
    let row = this.row('');
    row.append(entry(root, 'Start'));
    row = null;
    for (let node = root; node.children.length; node = node.children[0]) {
      const [main, ...others] = node.children;
      if (!row || isWhites(main)) {
        row = this.row(main.move.number.replace('...', '.'));
        if (!isWhites(main)) row.append(made('span', 'm', '…'));
      }
      row.append(entry(main, main.move.san));
      for (const child of others) this.list.append(variation(child));
      if (others.length) row = null;
    }
  }

  row(number) {
    const row = made('div', 'row');
    row.append(made('span', 'number', number));
    this.list.append(row);
    return row;
  }

  entry(node) {
    return this.list.querySelector(`[data-id="${node.id}"]`);
  }

  /** Marks the position that is shown. */
  mark(node) {
    for (const old of this.list.querySelectorAll('.on')) {
      old.classList.remove('on');
      old.removeAttribute('aria-current');
    }
    const move = this.entry(node);
    move.classList.add('on');
    move.setAttribute('aria-current', 'true');
    this.reveal();
  }

  /** Scrolls the list, not the page, to the position that is shown. */
  reveal() {
    const { list } = this;
    const move = list.querySelector('.on');
    if (!move) return;
    const top = move.offsetTop;
    const bottom = top + move.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 20;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 20;
  }

  /** Shows the evaluation of a position beside its move. */
  evaluate(node) {
    const place = this.entry(node)?.querySelector('.eval');
    if (place) place.textContent = shownScore(node.best.score);
  }
}

/** The entry of a position in a row. */
const entry = (node, name) => {
  const button = made('button', 'm');
  button.dataset.id = node.id;
  button.append(made('b', '', name), made('span', 'eval', node.best ? shownScore(node.best.score) : ''));
  return button;
};

/** A variation as running text, with its own variations in parentheses. */
const variation = first => {
  const text = made('div', 'better');
  const add = (node, isFirst) => {
    const button = made(
      'button',
      'm',
      `${isFirst || isWhites(node) ? `${node.move.number}\u00a0` : ''}${node.move.san}`,
    );
    button.dataset.id = node.id;
    text.append(button, ' ');
  };
  const follow = (node, isInterrupted) => {
    const [main, ...others] = node.children;
    if (!main) return;
    add(main, isInterrupted);
    for (const child of others) {
      text.append('(');
      add(child, true);
      follow(child, false);
      text.append(') ');
    }
    follow(main, others.length > 0);
  };
  add(first, true);
  follow(first, false);
  return text;
};

/** The list of moves: a row for each pair of moves, and a block for each variation and comment of the main line. */
import { clockOf, glyphText } from './annotation.js';
import { shownScore } from './search.js';

const made = (name, className, text = '') => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
};

/** So long a finger rests on a move to open its menu. */
const PRESS_MS = 550;

const isWhites = node => !node.move.number.endsWith('...');
/** Where and when a game was played. */
const factsOf = tags => {
  const round = tags.get('Round');
  const facts = [tags.get('Event'), round && `round ${round}`, tags.get('Site'), tags.get('Date')];
  const isKnown = fact => /[^?.\s-]/.test((fact || '').replace('round', ''));
  return facts.filter(isKnown).map(fact => fact.replaceAll('.??', '')).join(' · ');
};
const JUDGED = { 6: 'inaccuracy', 2: 'mistake', 4: 'blunder' };

/** Puts a part of a text in parentheses, from which its first and its last word are never parted at a line's end. */
const bracket = (first, last) => {
  const keep = element => {
    const whole = made('span', 'whole');
    element.replaceWith(whole);
    whole.append(element);
    return whole;
  };
  const [begin, end] = [first, last].map(element => (element.className === 'm' ? keep(element) : element));
  begin.prepend('(');
  end.append(')');
};

export class MoveList {
  /** `select` gets the number of the position that the user chose; `offer` also gets where a menu belongs. */
  constructor(list, select, offer) {
    this.list = list;
    this.entries = new Map();
    const idOf = event => event.target.closest('button.m')?.dataset.id;
    list.addEventListener('click', event => {
      if (idOf(event) === undefined) return;
      // What one points at stays under the pointer.
      this.isPointedAt = true;
      select(Number(idOf(event)));
      this.isPointedAt = false;
    });
    const offerAt = event => {
      const frame = event.target.closest('button.m').getBoundingClientRect();
      offer(Number(idOf(event)), event.clientX || frame.left, event.clientY || frame.bottom);
    };
    // The right button, or the key for menus.
    list.addEventListener('contextmenu', event => {
      if (idOf(event) === undefined) return;
      event.preventDefault();
      offerAt(event);
    });
    // A long press of a finger. Not all browsers take it for a right click.
    let press = null;
    list.addEventListener('pointerdown', event => {
      if (event.pointerType === 'touch' && idOf(event) !== undefined) press = setTimeout(offerAt, PRESS_MS, event);
    });
    for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
      list.addEventListener(end, () => clearTimeout(press));
    }
    // More lines of the engine leave less room for the list.
    new ResizeObserver(() => this.reveal()).observe(list);
  }

  /** Lists all moves of a game. */
  show(root, tags, current) {
    this.entries.clear();
    const part = document.createDocumentFragment();
    const facts = factsOf(tags);
    if (facts) part.append(made('p', 'facts', facts));
    const start = made('div', 'row');
    start.append(made('span', 'number'), this.entry(root, 'Start'));
    part.append(start);
    if (root.comment) part.append(made('p', 'comment', root.comment));
    let row = null;
    for (let node = root; node.children.length; node = node.children[0]) {
      const [main, ...others] = node.children;
      if (main.before) part.append(made('p', 'comment', main.before));
      if (!row || isWhites(main) || main.before) {
        row = made('div', 'row');
        row.append(made('span', 'number', main.move.number.replace('...', '.')));
        if (!isWhites(main)) row.append(made('span', 'm', '…'));
        part.append(row);
      }
      row.append(this.entry(main, main.move.san));
      if (main.comment) part.append(made('p', 'comment', main.comment));
      for (const child of others) {
        const block = made('div', 'better');
        this.addVariation(block, child);
        part.append(block);
      }
      if (main.comment || others.length) row = null;
    }
    this.list.replaceChildren(part);
    this.mark(current);
  }

  /** The entry of a position in a row. */
  entry(node, name) {
    const button = this.button(node);
    button.append(
      made('b', '', name),
      this.glyphs(node),
      made('span', 'eval', node.best ? shownScore(node.best.score) : ''),
    );
    const clock = clockOf(node);
    if (clock) button.title = `Clock ${clock}`;
    return button;
  }

  button(node) {
    const button = made('button', 'm');
    button.dataset.id = node.id;
    // With the tab key one reaches the list, and there the position that is shown.
    button.tabIndex = -1;
    this.entries.set(node.id, button);
    return button;
  }

  glyphs(node) {
    const nags = node.judged && !node.nags.some(nag => nag <= 6) ? [node.judged, ...node.nags] : node.nags;
    const kind = nags.map(nag => JUDGED[nag]).find(Boolean) || '';
    return made('i', `glyph ${kind}`, nags.map(glyphText).join(' '));
  }

  /** Adds a variation as running text, with its own variations in parentheses. */
  addVariation(text, first) {
    const add = (node, isFirst) => {
      if (node.before) text.append(made('span', 'comment', node.before), ' ');
      const button = this.button(node);
      const number = isFirst || isWhites(node) || node.before ? `${node.move.number}\u00a0` : '';
      button.append(number + node.move.san, this.glyphs(node));
      text.append(button);
      if (node.comment) text.append(' ', made('span', 'comment', node.comment));
      return Boolean(node.comment);
    };
    const follow = (start, isCut) => {
      let isInterrupted = isCut;
      for (let node = start; node.children.length; node = node.children[0]) {
        const [main, ...others] = node.children;
        text.append(' ');
        isInterrupted = add(main, isInterrupted);
        for (const child of others) {
          const place = text.childNodes.length;
          text.append(' ');
          follow(child, add(child, true));
          bracket(text.childNodes[place + 1], text.lastChild);
          isInterrupted = true;
        }
      }
    };
    follow(first, add(first, true));
  }

  /** Marks the position that is shown. */
  mark(node) {
    for (const old of this.list.querySelectorAll('.on')) {
      old.classList.remove('on');
      old.removeAttribute('aria-current');
      old.tabIndex = -1;
    }
    const move = this.entries.get(node.id);
    if (!move) return;
    move.classList.add('on');
    move.setAttribute('aria-current', 'true');
    move.tabIndex = 0;
    this.reveal();
  }

  /** Scrolls the list, not the page, so that the moves before and after the position are seen, and its comment. */
  reveal() {
    const { list } = this;
    const move = list.querySelector('.on');
    if (!move) return;
    // On a phone the buttons lie over the lower part of the list.
    const { top } = list.getBoundingClientRect();
    const room = document.getElementById('first').getBoundingClientRect().top - top;
    const height = room > move.offsetHeight ? Math.min(room, list.clientHeight) : list.clientHeight;
    const place = (move.offsetTop - list.scrollTop) / height;
    const [least, most] = this.isPointedAt ? [0, 1 - move.offsetHeight / height] : [0.15, 0.6];
    if (place < least || place > most) list.scrollTop = move.offsetTop - 0.35 * (height - move.offsetHeight);
  }

  /** Shows the evaluation of a position beside its move. */
  evaluate(node) {
    const place = this.entries.get(node.id)?.querySelector('.eval');
    if (place) place.textContent = node.best ? shownScore(node.best.score) : '';
  }
}

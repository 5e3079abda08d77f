/** Lists the best lines. Elements stay where they are and only change their text, so that a click never misses. */
import { shownScore } from './search.js';

/** `12.` or `12...`: the number of the move that is due in a FEN. */
const numberOf = (fen, index) => {
  const [, turn, , , , fullmove] = fen.split(' ');
  const plies = 2 * Number(fullmove) + (turn === 'w' ? 0 : 1) + index;
  return { number: Math.floor(plies / 2), isWhite: plies % 2 === 0 };
};

/** Whether the tools of browsers have been told when the first line was there. */
let isMarked = false;

export class Lines {
  /** `play` gets the moves of a line up to the one that the user chose. */
  constructor(list, play) {
    this.list = list;
    // The page has the first line, so that nothing below it moves when the engine begins.
    this.blank = list.firstElementChild.cloneNode(true);
    this.spelled = [];
    list.addEventListener('click', event => {
      const move = event.target.closest('button.m');
      const item = event.target.closest('li');
      if (move) play(this.movesTo(move));
      else if (event.target.closest('button.more')) this.toggle(item);
    });
  }

  /** The moves of a line up to that of a button. */
  movesTo(button) {
    return this.spelled[button.closest('li').dataset.line].slice(0, Number(button.dataset.index) + 1);
  }

  toggle(item) {
    const isOpen = item.classList.toggle('open');
    item.querySelector('.more').setAttribute('aria-expanded', isOpen);
  }

  /** Shows lines. `infos` are the engine's, `spelled` the moves in algebraic notation, `count` is how many are due. */
  show(fen, infos, spelled, count) {
    this.spelled = spelled;
    while (this.list.children.length > count) this.list.lastChild.remove();
    while (this.list.children.length < count) this.list.append(this.newItem());
    [...this.list.children].forEach((item, index) => {
      const info = infos[index];
      const score = item.querySelector('.eval');
      setText(score, info ? shownScore(info.score) : '');
      score.classList.toggle('black', Boolean(info) && info.score.value < 0);
      this.showMoves(item.querySelector('.pv'), fen, spelled[index] || []);
    });
  }

  newItem() {
    const item = this.blank.cloneNode(true);
    item.dataset.line = this.list.children.length;
    return item;
  }

  showMoves(place, fen, moves) {
    while (place.children.length > moves.length) place.lastChild.remove();
    while (place.children.length < moves.length) {
      const button = document.createElement('button');
      button.className = 'm';
      button.dataset.index = place.children.length;
      // With the tab key one goes from line to line.
      button.tabIndex = place.children.length ? -1 : 0;
      place.append(button);
    }
    if (moves.length && !isMarked) performance.mark('first line');
    isMarked ||= moves.length > 0;
    moves.forEach((move, index) => {
      const { number, isWhite } = numberOf(fen, index);
      const prefix = isWhite ? `${number}.\u00a0` : index === 0 ? `${number}…\u00a0` : '';
      setText(place.children[index], prefix + move.san);
    });
  }
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

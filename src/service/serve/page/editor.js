/** The board editor: puts men on a board and asks the server whether the position can be played. */
import { BoardView } from './board.js';
import { open } from './dialogs.js';
import { attempt, sentence } from './message.js';
import { ask } from './positions.js';
import { USUAL_START } from './address.js';
import { spokenSquare } from './spoken.js';
import { Squares } from './squares.js';
import { svgElement } from './svg.js';

const element = id => document.getElementById(id);
const dialog = element('editor-dialog');
const FILES = 'abcdefgh';
const MEN = ['K', 'Q', 'R', 'B', 'N', 'P', 'k', 'q', 'r', 'b', 'n', 'p'];

export class Editor {
  /** `board` is the page's board, without other drawings yet. `load` gets a FEN and whether it is Chess960. */
  constructor(board, load) {
    const drawing = board.svg.cloneNode(true);
    drawing.removeAttribute('id');
    element('editor-board').append(drawing);
    this.view = new BoardView(drawing);
    this.men = new Map();
    this.tool = null;
    this.makePalette();
    this.listen(drawing);
    element('editor-done').addEventListener(
      'click',
      attempt(async () => {
        await load(element('editor-fen').value.trim(), element('editor-960').checked);
        dialog.close();
      }, element('editor-error')),
    );
  }

  listen(drawing) {
    // While a button is held, each square that the pointer reaches gets the man, once.
    let isPainting = false;
    let last = null;
    const put = event => {
      const name = event.target.closest('[data-square]')?.dataset.square;
      if (!isPainting || !name || name === last) return;
      last = name;
      this.put(name, event.buttons === 2);
    };
    drawing.addEventListener('contextmenu', event => event.preventDefault());
    drawing.addEventListener('pointerdown', event => {
      event.preventDefault();
      // Else a finger would stay with the first square.
      event.target.releasePointerCapture?.(event.pointerId);
      isPainting = true;
      last = null;
      put(event);
    });
    drawing.addEventListener('pointerover', put);
    window.addEventListener('pointerup', () => (isPainting = false));
    this.squares = new Squares(this.view, name => this.put(name, false));
    for (const field of [element('editor-turn'), ...document.querySelectorAll('.right')]) {
      field.addEventListener('change', () => this.write());
    }
    element('editor-960').addEventListener('change', () => this.check());
    element('editor-fen').addEventListener('input', () => this.read(element('editor-fen').value));
    element('editor-clear').addEventListener('click', () => this.read('8/8/8/8/8/8/8/8 w - - 0 1', true));
    element('editor-start').addEventListener('click', () => this.read(USUAL_START, true));
    element('editor-flip').addEventListener('click', () => this.view.flip());
  }

  makePalette() {
    const tools = [...MEN, ''].map(letter => {
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-pressed', 'false');
      if (letter) {
        const drawing = svgElement('svg', {
          viewBox: '0 0 100 100',
          class: letter === letter.toUpperCase() ? 'w' : 'b',
        });
        drawing.append(svgElement('use', { href: `#${letter.toUpperCase()}` }));
        button.append(drawing);
        button.setAttribute('aria-label', spokenSquare('', letter).slice(2));
      } else {
        button.textContent = '✕';
        button.setAttribute('aria-label', 'Empty the square');
      }
      button.addEventListener('click', () => {
        this.tool = letter;
        for (const other of tools) other.setAttribute('aria-pressed', other === button);
      });
      return button;
    });
    element('palette').append(...tools);
    tools[5].click();
  }

  open(fen, chess960) {
    element('editor-960').checked = chess960;
    this.read(fen, true);
    open(dialog);
    element('palette').querySelector('[aria-pressed=true]').focus();
  }

  /** Puts the chosen man on a square, or takes it away where it stands already. */
  put(square, isAway) {
    if (isAway || !this.tool || this.men.get(square) === this.tool) this.men.delete(square);
    else this.men.set(square, this.tool);
    this.write();
  }

  /** Takes a FEN over into the board and the fields. */
  read(fen, isShown = false) {
    if (isShown) element('editor-fen').value = fen;
    const [men, turn = 'w', rights = '-'] = fen.trim().split(/\s+/);
    if (men.split('/').length !== 8) return;
    this.men.clear();
    men.split('/').forEach((rank, index) => {
      let file = 0;
      for (const letter of rank) {
        if (letter >= '1' && letter <= '8') file += Number(letter);
        else if (file < 8) this.men.set(FILES[file++] + (8 - index), letter);
      }
    });
    element('editor-turn').value = turn === 'b' ? 'b' : 'w';
    for (const box of document.querySelectorAll('.right')) box.checked = rights.includes(box.value);
    this.view.show(fen);
    this.squares.name();
    this.check();
  }

  /** Writes the board and the fields as a FEN. */
  write() {
    const ranks = [8, 7, 6, 5, 4, 3, 2, 1].map(rank =>
      [...FILES]
        .map(file => this.men.get(file + rank) || '1')
        .join('')
        .replace(/1+/g, ones => ones.length),
    );
    const rights = [...document.querySelectorAll('.right:checked')].map(box => box.value).join('');
    const fen = `${ranks.join('/')} ${element('editor-turn').value} ${rights || '-'} - 0 1`;
    element('editor-fen').value = fen;
    this.view.show(fen);
    this.squares.name();
    this.check();
  }

  /** Says what is wrong with the position, or what will be changed in it. */
  async check() {
    const fen = element('editor-fen').value.trim();
    let text = '';
    let isGood = true;
    try {
      const { repairs } = await ask({ fen, chess960: element('editor-960').checked });
      text = repairs.map(sentence).join(' ');
    } catch (error) {
      text = sentence(error.message);
      isGood = false;
    }
    if (fen !== element('editor-fen').value.trim()) return;
    element('editor-error').textContent = text;
    element('editor-done').disabled = !isGood;
  }
}

/** Shows the position on the board, with the players and the name of the opening. */
import { USUAL_START } from './address.js';
import { glide } from './gliding.js';
import { playSound } from './sound.js';
import { listOfPieces } from './spoken.js';
import { showOpening, showPlayers, showStatus, speakStatus } from './status.js';

const element = id => document.getElementById(id);

export class BoardShow {
  constructor({ game, board, moving, shapes, arrows }) {
    Object.assign(this, { game, board, moving, shapes, arrows, last: null });
    game.on('loaded', () => {
      if (Boolean(game.tree.isTurned) !== board.isFlipped) this.turn();
    });
    game.on('moved', () => this.show());
    game.on('annotated', () => shapes.show(game.node.shapes));
    game.on('named', () => this.players());
    game.on('known', () => {
      this.status();
      moving.allow(game.node.details.legal);
      speakStatus(game.node);
    });
    element('text-fold').addEventListener('toggle', () => this.list());
  }

  show() {
    const { node } = this.game;
    this.board.show(node.fen, node.move ? node.move.squares : []);
    if (node.parent && node.parent === this.last) {
      glide(this.board, ...node.move.squares);
      playSound(node.move.san);
    }
    this.last = node;
    this.moving.allow([]);
    this.shapes.show(node.shapes);
    element('fen').value = node.fen;
    this.status();
    showOpening(node);
    this.players();
    this.list();
  }

  players() {
    const { node, tree } = this.game;
    showPlayers(tree, tree.path(node), this.board.isFlipped);
  }

  status() {
    const { node } = this.game;
    showStatus(this.board, node, node.fen === USUAL_START);
  }

  /** The men as text, for whoever has opened that part of the page. */
  list() {
    if (!element('text-fold').open) return;
    const squares = this.board.squares.map(({ dataset: { square, piece } }) => ({ square, piece }));
    const parts = listOfPieces(squares).flatMap(([side, text]) => {
      const [term, words] = [document.createElement('dt'), document.createElement('dd')];
      term.textContent = side;
      words.textContent = text;
      return [term, words];
    });
    element('pieces').replaceChildren(...parts);
  }

  /** Turns the board, and remembers that with the game. */
  flip() {
    this.turn();
    if (!this.game.tree) return;
    this.game.tree.isTurned = this.board.isFlipped;
    this.players();
    this.game.tell('annotated', this.game.node);
  }

  turn() {
    this.board.flip();
    this.moving.draw();
    this.arrows.draw();
    this.shapes.draw();
    element('gauge').classList.toggle('is-flipped', this.board.isFlipped);
  }
}

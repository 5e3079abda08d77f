/** Comments and glyphs of the move that is shown. */
import { GLYPHS, MOVE_GLYPHS, POSITION_GLYPHS } from './annotation.js';

const element = id => document.getElementById(id);
const PAUSE_MS = 600;

export class Notes {
  constructor(game) {
    this.game = game;
    this.timer = null;
    const row = [...MOVE_GLYPHS, ...POSITION_GLYPHS].map(nag => {
      const [sign, name] = GLYPHS.get(nag);
      const button = document.createElement('button');
      button.textContent = sign;
      button.title = name;
      button.setAttribute('aria-label', name);
      button.dataset.nag = nag;
      button.addEventListener('click', () => this.toggle(nag));
      return button;
    });
    element('glyphs').append(...row);
    element('annotate').addEventListener('click', () => this.open(element('notes').hidden));
    element('comment').addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.keep(), PAUSE_MS);
    });
    element('comment').addEventListener('change', () => this.keep());
    element('comment').addEventListener('keydown', event => {
      if (event.key === 'Escape') element('annotate').focus();
    });
    game.on('moved annotated', () => this.show());
  }

  open(isOpen) {
    element('notes').hidden = !isOpen;
    element('annotate').setAttribute('aria-expanded', isOpen);
    if (isOpen) this.show();
  }

  /** Opens the field and goes to it. */
  comment() {
    this.open(true);
    element('comment').focus();
    element('notes').scrollIntoView({ block: 'nearest' });
  }

  glyphs() {
    this.open(true);
    element('glyphs').querySelector('button:enabled')?.focus();
    element('notes').scrollIntoView({ block: 'nearest' });
  }

  show() {
    const { node } = this.game;
    if (node !== this.node) this.keep();
    this.node = node;
    if (document.activeElement !== element('comment') || element('comment').value !== node.comment) {
      element('comment').value = node.comment;
    }
    for (const button of element('glyphs').children) {
      button.disabled = !node.move;
      button.setAttribute('aria-pressed', node.nags.includes(Number(button.dataset.nag)));
    }
  }

  /** Keeps what was typed. */
  keep() {
    clearTimeout(this.timer);
    const text = element('comment').value.trim();
    const { node } = this;
    if (!node || this.isKeeping || text === node.comment) return;
    this.isKeeping = true;
    this.game.change('the comment', node, 'comment', text);
    this.isKeeping = false;
  }

  /** Of the glyphs of one kind a move has one. */
  toggle(nag) {
    const { node } = this.game;
    if (!node.move) return;
    const kind = [MOVE_GLYPHS, POSITION_GLYPHS].find(list => list.includes(nag));
    const others = node.nags.filter(other => !kind.includes(other));
    this.game.change(
      'the glyph',
      node,
      'nags',
      node.nags.includes(nag) ? others : [...others, nag].sort((a, b) => a - b),
    );
  }
}

/** Takes a FEN, a PGN or moves from the user: pasted, from a file, or dropped onto the page. */
import { open } from './dialogs.js';
import { attempt, sentence, tell } from './message.js';
import { ask } from './positions.js';
import { GameTree } from './tree.js';

const MOST_BYTES = 256 * 1024;
const element = id => document.getElementById(id);
const dialog = element('import-dialog');

/** A number of half-moves as people count. */
export const countOf = plies => `${Math.ceil(plies / 2)} ${plies > 2 ? 'moves' : 'move'}`;

/** How a game is named in lists. */
export const titleOf = ({ white, black, event, date, result }) => {
  const players = white || black ? `${white || '?'} – ${black || '?'}` : event || 'Game';
  return [players, result === '*' ? '' : result, date ? date.replaceAll('.??', '') : ''].filter(Boolean).join(' · ');
};

export class Importing {
  /** `load` gets a tree and the position to show. `undo` takes it back. */
  constructor({ load, undo }) {
    this.load = load;
    this.undo = undo;
    element('open-import').addEventListener('click', () => this.open());
    element('load-form').addEventListener('submit', event => {
      event.preventDefault();
      attempt(() => this.read(element('text').value, 0), element('error'))();
    });
    element('reset').addEventListener('click', () => attempt(() => this.begin(), element('error'))());
    element('file').addEventListener(
      'change',
      attempt(() => this.readFile(element('file').files[0]), element('error')),
    );
    // Someone who pastes wants to see the board again, without another click.
    document.addEventListener('paste', event => {
      if (event.target.closest('input, textarea, dialog')) return;
      const text = event.clipboardData.getData('text').trim();
      if (text) attempt(() => this.read(text, 0))();
    });
    document.addEventListener('dragover', event => event.preventDefault());
    document.addEventListener('drop', event => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData('text');
      if (file) attempt(() => this.readFile(file))();
      else if (text) attempt(() => this.read(text, 0))();
    });
  }

  open() {
    element('error').textContent = '';
    this.offer([]);
    open(dialog);
    element('text').focus();
  }

  async readFile(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      throw new Error(
        `${file.name} is larger than 256 KiB: it has ${Math.ceil(file.size / 1024)} KiB. Take a part of it.`,
      );
    }
    const text = await file.text();
    element('text').value = text;
    await this.read(text, 0);
  }

  /** Loads a game of a text. Of a text with several games, the user chooses first. */
  async read(text, game, isChosen = false) {
    const answer = await ask({ text, game, chess960: element('chess960').checked }, 'game');
    if (answer.games.length > 1 && !isChosen) {
      this.offer(answer.games, text);
      if (!dialog.open) open(dialog);
      return;
    }
    const tree = GameTree.of(answer);
    const line = tree.line(tree.root);
    // Of a game, people first see the start; of moves that they entered, the end.
    this.show(tree, answer.games.length ? tree.root : line.at(-1));
    this.say(answer, game);
  }

  /** Begins with the usual start position. */
  async begin() {
    const chess960 = element('chess960').checked;
    const { start } = await ask({ chess960 });
    const tree = new GameTree(start, chess960);
    this.show(tree, tree.root);
    tell('A new game. The last one is kept under Games.', { offer: { name: 'Undo', run: () => this.undo() } });
  }

  show(tree, node) {
    this.load(tree, node);
    dialog.close();
    element('text').value = '';
    element('file').value = '';
    window.scrollTo(0, 0);
  }

  say({ games, repairs, warnings, chess960 }, game) {
    const what = games.length > 1 ? `Game ${game + 1} of ${games.length} is loaded.` : 'Loaded.';
    const castling = chess960 && !element('chess960').checked ? ['it is a game of Chess960'] : [];
    const notes = [...castling, ...repairs, ...warnings].map(sentence);
    tell([what, ...notes].join(' '), { offer: { name: 'Undo', run: () => this.undo() } });
  }

  /** Lists the games of a text. */
  offer(games, text) {
    element('choice').hidden = !games.length;
    element('choice-count').textContent = `The text has ${games.length} games. Choose one:`;
    const items = games.map((game, index) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = game.error ? `Cannot be read: ${game.error}` : `${titleOf(game)} · ${countOf(game.moves)}`;
      button.disabled = Boolean(game.error);
      button.addEventListener('click', () => attempt(() => this.read(text, index, true), element('error'))());
      item.append(button);
      return item;
    });
    element('choice-list').replaceChildren(...items);
    items.find(item => !item.firstChild.disabled)?.firstChild.focus();
  }
}

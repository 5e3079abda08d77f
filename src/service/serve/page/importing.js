/** Takes a FEN, a PGN or moves from the user: pasted, from a file, or dropped onto the page. */
import { gamesOf, textOfFile } from './collection.js';
import { open } from './dialogs.js';
import { attempt, sentence, tell } from './message.js';
import { ask } from './positions.js';
import { GameTree } from './tree.js';

/** Of a longer text with several games, only the chosen game goes to the server. */
const LONGEST_TEXT = 128 * 1024;
const LARGEST_FILE = 64 << 20;
/** So many games are found by looking; more are found by words. */
const MANY_GAMES = 12;
const MOST_SHOWN = 200;
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
      attempt(() => this.read(element('text').value), element('error'))();
    });
    element('reset').addEventListener('click', () => attempt(() => this.begin(), element('error'))());
    element('file').addEventListener(
      'change',
      attempt(() => this.readFile(element('file').files[0]), element('error')),
    );
    element('choice-find').addEventListener('input', () => this.list());
    // Someone who pastes wants to see the board again, without another click.
    document.addEventListener('paste', event => {
      if (event.target.closest('input, textarea, dialog')) return;
      const text = event.clipboardData.getData('text').trim();
      if (text) attempt(() => this.read(text))();
    });
    document.addEventListener('dragover', event => event.preventDefault());
    document.addEventListener('drop', event => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData('text');
      if (file) attempt(() => this.readFile(file))();
      else if (text) attempt(() => this.read(text))();
    });
  }

  open() {
    element('error').textContent = '';
    open(dialog);
    element('text').focus();
  }

  async readFile(file) {
    if (!file) return;
    if (file.size > LARGEST_FILE) throw new Error(`${file.name} is larger than ${LARGEST_FILE >> 20} MiB.`);
    const text = await textOfFile(file);
    if (text.length <= LONGEST_TEXT) element('text').value = text;
    await this.read(text);
  }

  /** Loads a text. If it has several games, the user chooses one. */
  async read(text) {
    // Nobody chooses from the last list while the next one is on its way.
    element('choice').hidden = true;
    element('choice-list').replaceChildren();
    if (text.length > LONGEST_TEXT) {
      const games = gamesOf(text);
      if (games.length > 1) {
        this.offer(games, index => this.readGame(games[index].text, undefined, `Game ${index + 1} of ${games.length}`));
        return;
      }
    }
    const answer = await this.ask(text);
    const { games } = answer;
    const nameOf = index => `Game ${index + 1} of ${games.length}`;
    if (games.length > 1) this.offer(games, index => this.readGame(text, index, nameOf(index)));
    else this.take(answer);
  }

  async readGame(text, game, name) {
    this.take(await this.ask(text, game), `${name} is loaded.`);
  }

  /** The server's answer about a game of a text; without a number, about the first one that can be read. */
  ask(text, game = undefined) {
    return ask({ text, game, chess960: element('chess960').checked }, 'game');
  }

  /** Shows a game of the server's answer. */
  take(answer, loaded = 'Loaded.') {
    const tree = GameTree.of(answer);
    const line = tree.line(tree.root);
    // Of a game, people first see the start; of moves that they entered, the end.
    this.show(tree, answer.games.length ? tree.root : line.at(-1));
    const castling = answer.chess960 && !element('chess960').checked ? ['it is a game of Chess960'] : [];
    const cut = answer.cut ? [answer.cut, 'the game is loaded up to this place'] : [];
    const notes = [...castling, ...answer.repairs, ...answer.warnings, ...cut].map(sentence);
    tell([loaded, ...notes].join(' '), { offer: { name: 'Undo', run: () => this.undo() } });
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

  /** Lists the games of a text. The list stays for the next time, so that one can go on with another game. */
  offer(games, choose) {
    this.games = games;
    this.choose = choose;
    element('choice').hidden = false;
    element('choice-find').value = '';
    element('choice-find').hidden = games.length <= MANY_GAMES;
    this.list();
    if (!dialog.open) open(dialog);
    const first = element('choice-list').querySelector('button:enabled');
    if (games.length > MANY_GAMES) element('choice-find').focus();
    else first?.focus();
    element('choice').scrollIntoView({ block: 'nearest' });
  }

  /** Lists the games in whose names the wanted words are. */
  list() {
    const words = element('choice-find').value.toLowerCase().split(/\s+/).filter(Boolean);
    const nameOf = game => `${titleOf(game)} ${game.event}`.toLowerCase();
    const found = this.games
      .map((game, index) => [game, index])
      .filter(([game]) => words.every(word => nameOf(game).includes(word)));
    const shown = found.slice(0, MOST_SHOWN);
    const some = found.length === this.games.length ? '' : ` ${found.length} have these words.`;
    const rest = shown.length < found.length ? ` The first ${shown.length} are listed.` : '';
    element('choice-count').textContent = `The text has ${this.games.length} games.${some}${rest} Choose one:`;
    element('choice-list').replaceChildren(...shown.map(([game, index]) => this.item(game, index)));
  }

  item(game, index) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const moves = game.moves === undefined ? [] : [countOf(game.moves)];
    const error = game.error ? [`cannot be read: ${game.error}`] : [];
    button.type = 'button';
    button.textContent = [`${index + 1}. ${titleOf(game)}`, ...moves, ...error].join(' · ');
    button.disabled = Boolean(game.error) && !game.moves;
    button.addEventListener('click', () => attempt(() => this.choose(index), element('error'))());
    item.append(button);
    return item;
  }
}

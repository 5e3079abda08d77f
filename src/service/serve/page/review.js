/**
 * Analyzes each position of a line in a session of its own, while the user looks around. Then the server judges the
 * moves. What was found belongs to the game, so after a reload only the missing positions are searched.
 */
import { openSession } from './connection.js';
import { Engine } from './engine.js';
import { parseInfo } from './info.js';
import { ask } from './positions.js';
import { Search } from './search.js';

/** Moves of the better line that is added to a fault. */
const BETTER_MOVES = 8;
const NAMES = { 6: 'Inaccuracy', 2: 'Mistake', 4: 'Blunder' };

export class Review {
  /** `show` has the functions `progress(done, all)` and `ended(error, isWhole)`. */
  constructor(game, show) {
    this.game = game;
    this.show = show;
    this.isRunning = false;
  }

  /** Begins with the line through the position that is shown. */
  start(nodes) {
    const { tree, node } = this.game;
    this.tree = tree;
    this.line = tree.line(node);
    this.nodes = nodes;
    this.open = this.line.filter(place => !isKnown(place, nodes));
    this.isRunning = true;
    this.show.progress(this.line.length - this.open.length, this.line.length);
    this.engine = new Engine(line => this.socket.readyState === WebSocket.OPEN && this.socket.send(line), {
      info: (line, position) => this.heard(line, position),
      finished: position => this.finished(position),
    });
    this.socket = openSession(line => this.engine.receive(line));
    this.socket.addEventListener('open', () => {
      this.engine.greet();
      this.next();
    });
    const { socket } = this;
    socket.addEventListener('close', event => {
      if (!this.isRunning || socket !== this.socket) return;
      this.stop(new Error(event.reason || 'The server cannot be reached. What was found stays.'));
    });
  }

  /** Judges a game that another report of this engine has analyzed, by the evaluations that it has. */
  async judgeKnown() {
    const { tree } = this.game;
    const line = tree.line(tree.root);
    if (line.length > 1 && line.every(({ best }) => best)) await this.judge(tree, line);
  }

  /** Ends it. What was found stays. */
  stop(error = null) {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.socket.close();
    this.show.ended(error, !error && !this.open.length);
  }

  /** The next position; after the last one, the judgements. */
  async next() {
    if (!this.isRunning) return;
    this.show.progress(this.line.length - this.open.length, this.line.length);
    const [node] = this.open;
    if (!node) {
      await this.judge(this.tree, this.line).then(
        () => this.stop(),
        error => this.stop(error),
      );
      return;
    }
    try {
      await this.game.learn(node, this.tree);
    } catch (error) {
      this.stop(error);
      return;
    }
    if (!node.details.legal.length || node.details.result) this.done(node);
    else this.engine.analyze({ node, search: new Search(), ...this.tree.describe(node) }, { lines: 1 });
  }

  heard(line, position) {
    const turn = position.node.fen.split(' ')[1] === 'w' ? 'white' : 'black';
    position.search.add(parseInfo(line, turn));
    // The server counts the nodes of all threads. A search of its own that is short would come before all others.
    if (position.search.figures.nodes >= this.nodes && position.search.best) this.engine.stop();
  }

  finished({ node, search }) {
    if (!this.isRunning) return;
    if (search.best) {
      node.line = search.lines[0].pv.slice(0, 16);
      this.game.evaluate(node, { ...search.best, nodes: Math.max(this.nodes, search.figures.nodes) });
    }
    this.done(node);
  }

  done(node) {
    this.open = this.open.filter(place => place !== node);
    this.next();
  }

  /** Has the server judge the moves, and shows better lines as variations. */
  async judge(tree, line) {
    const positions = line.map(({ fen, best }) => best && questionOf(fen, best.score));
    const report = await ask({ positions }, 'review');
    const faults = [];
    report.moves.forEach((verdict, index) => {
      const node = line[index + 1];
      node.judged = verdict?.nag || 0;
      if (node.judged) faults.push(node);
    });
    tree.report = { players: report.players, moves: report.moves.length };
    for (const fault of faults) await this.addBetter(tree, fault);
    this.game.tell('shaped');
    this.game.tell('reported');
  }

  /** Adds what would have been better than a fault. */
  async addBetter(tree, fault) {
    const { parent } = fault;
    const line = (parent.line || []).slice(0, BETTER_MOVES);
    if (!line.length || line[0] === fault.move.uci || parent.children.some(child => child.isByEngine)) return;
    const { moves: spelled } = await ask({ fen: parent.fen, moves: line, chess960: tree.chess960 });
    let last = parent;
    for (const move of spelled) {
      last = tree.play(last, move);
      if (last.parent === parent && !last.children.length) last.isByEngine = true;
    }
    if (!fault.comment) fault.comment = `${NAMES[fault.judged]}. ${spelled[0].san} was best.`;
  }
}

/** Whether a position has been searched long enough. */
const isKnown = ({ best }, nodes) => Boolean(best) && (best.isFinal || best.nodes >= nodes);

const questionOf = (fen, score) => {
  if (score.kind === 'cp') return { fen, cp: score.value };
  return score.value ? { fen, mate: score.value } : { fen, mate: 0, is_won: score.winner > 0 };
};

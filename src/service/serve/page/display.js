/** Shows everything about the engine, once with each frame. */
import { arrowsOf } from './arrows.js';
import { showEvaluation } from './evaluation.js';
import { showFigures } from './figures.js';
import { drawGame, drawGraph, searchPoints } from './graph.js';
import { showKnown } from './known.js';
import { showPhases } from './phases.js';
import { showReport } from './report.js';
import { linesOf, shownScore, spokenScore } from './search.js';
import { settings } from './settings.js';
import { spokenMove } from './spoken.js';

const element = id => document.getElementById(id);

/** A score that is spoken stays for so long. */
const SPOKEN_MS = 4000;

export class Display {
  constructor({ game, analysis, lines, arrows, speller }) {
    Object.assign(this, { game, analysis, lines, arrows, speller, isDue: false });
    game.on('shaped moved known evaluated reported', () => this.paint());
    game.on('moved', () => (element('note').hidden = true));
    game.on('loaded shaped reported', () => showReport(game.tree));
    // What a fold hides is not drawn.
    element('search-fold').addEventListener('toggle', () => this.paint());
  }

  paint() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (this.game.node) this.show();
    });
  }

  show() {
    const { game, analysis, speller } = this;
    const { node, tree } = game;
    const { search } = node;
    showEvaluation(node.best);
    showKnown(node);
    const most = node.details ? node.details.legal.length : analysis.lines;
    const count = Math.min(analysis.lines, most);
    const best = linesOf(node).slice(0, count);
    // Words that are still those of another line would mislead.
    const spelled = speller.of(node);
    const words = best.map(line => spelled.find(([move]) => move?.uci === line.pv[0]) || []);
    this.lines.show(node.fen, best, words, count);
    this.showArrows(best);
    if (element('search-fold').open) {
      showFigures(search);
      drawGraph(element('search-graph'), searchPoints(search));
    }
    const line = tree.line(node);
    drawGame(element('game-graph'), line, node);
    showPhases(element('phases'), line);
    element('go').textContent = settings.isOn && !analysis.isOver ? 'Stop' : 'Go';
    element('go').setAttribute('aria-pressed', settings.isOn && !analysis.isOver);
    element('go').disabled = analysis.isOver;
    element('progress').textContent = analysis.state;
    element('pace').textContent = this.pace();
    element('count').textContent = analysis.lines;
    element('fewer').disabled = analysis.lines === 1;
    element('more').disabled = analysis.lines === analysis.mostLines;
    element('remove').disabled = !node.parent;
    element('undo').disabled = !game.steps.past.length;
    if (element('text-fold').open) this.speak();
    document.title = `${node.best ? `${shownScore(node.best.score)} · ` : ''}Enfilade`;
  }

  /** Screen readers speak the evaluation. So it is not said anew with each line of a search. */
  speak() {
    const { node } = this.game;
    const rest = node === this.spokenNode ? this.spokenUntil - performance.now() : 0;
    if (rest > 0) {
      this.speaking ||= setTimeout(() => {
        this.speaking = null;
        this.paint();
      }, rest);
      return;
    }
    this.spokenNode = node;
    this.spokenUntil = performance.now() + SPOKEN_MS;
    const text = this.spoken();
    if (element('spoken-score').textContent !== text) element('spoken-score').textContent = text;
  }

  /** The evaluation and the best move in words. */
  spoken() {
    const { node } = this.game;
    if (!node.best) return 'No evaluation yet.';
    const [move] = this.speller.of(node)[0] || [];
    const best = move ? `, best move ${spokenMove(move.san)}` : '';
    const words = spokenScore(node.best.score) + best;
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  }

  showArrows(best) {
    const { node } = this.game;
    if (!settings.arrows) {
      this.arrows.show([]);
    } else if (this.analysis.wantsThreat) {
      const move = node.threat;
      this.arrows.show(move ? [{ from: move.slice(0, 2), to: move.slice(2, 4), strength: 1, kind: 'threat' }] : []);
    } else {
      this.arrows.show(arrowsOf(best, this.speller.of(node)));
    }
  }

  /** How far the engine has come, and how fast it is. */
  pace() {
    const { depth, nps } = this.game.node.search?.figures || {};
    if (!depth || this.analysis.wantsThreat) return '';
    const speed = nps >= 1e6 ? `${(nps / 1e6).toFixed(1)} M/s` : `${Math.round(nps / 1e3)} k/s`;
    return nps && this.analysis.state === 'searching' ? `depth ${depth} · ${speed}` : `depth ${depth}`;
  }

  note(text) {
    element('note').hidden = false;
    element('note').textContent = text.charAt(0).toUpperCase() + text.slice(1);
  }

  connection(text, isGood, canTry, seconds) {
    clearInterval(this.counter);
    element('connect').hidden = !canTry;
    element('connection').textContent = text;
    element('connection').classList.toggle('bad', !isGood);
    let left = seconds || 0;
    const count = () => {
      element('countdown').textContent = left > 0 ? `Next try in ${left} s.` : '';
      left--;
    };
    count();
    if (seconds) this.counter = setInterval(count, 1000);
  }
}

/**
 * The game that is shown: its tree, the position, and all that can be done with them. Whoever wants to know of changes
 * listens:
 *
 * - `loaded`: there is another tree. `moved` follows.
 * - `shaped`: moves, comments or glyphs have changed.
 * - `moved`: another position is shown.
 * - `known`: the server has told what can be played.
 * - `evaluated`: a position has another evaluation.
 * - `named`: the names or other tags of the game have changed.
 */
import { currentId, newId, setCurrent } from './library.js';
import { ask } from './positions.js';
import { evaluationOfResult } from './search.js';
import { isInTree } from './tree.js';
import { Undo } from './undo.js';

export class Game {
  constructor() {
    this.tree = null;
    this.node = null;
    this.steps = new Undo();
    this.listeners = new Map();
  }

  on(names, listener) {
    for (const name of names.split(' ')) this.listeners.set(name, [...(this.listeners.get(name) || []), listener]);
  }

  tell(name, value) {
    for (const listener of this.listeners.get(name) || []) listener(value);
  }

  /** Shows another tree. The one before it can be brought back, and is kept in the library. */
  load(tree, node, id = newId()) {
    const before = { tree: this.tree, node: this.node, id: currentId() };
    tree.id = id;
    const show = (place, position) => {
      this.tree = place;
      this.node = position;
      setCurrent(place.id);
      this.tell('loaded');
      this.tell('shaped');
      this.select(position);
    };
    if (before.tree) {
      this.steps.done(
        'another game',
        () => show(before.tree, before.node),
        () => show(tree, node),
      );
    }
    show(tree, node);
  }

  /** Shows a position, and asks what can be played in it. */
  async select(node) {
    this.node = node;
    this.tell('moved');
    try {
      await this.learn(node);
    } catch (error) {
      if (this.node === node) this.tell('failed', error);
      return;
    }
    // Meanwhile the user may have gone on.
    if (this.node === node) this.tell('known');
  }

  /** Asks the server about a position of the tree. If the game is over there, that is its evaluation. */
  async learn(node, tree = this.tree) {
    const answer = node.details || (await ask({ ...tree.describe(node), tables: true, known: true }));
    // Somebody else may have asked at the same time.
    node.details ||= answer;
    const { result, status } = node.details;
    if (!result || node.best?.isFinal) return;
    this.evaluate(node, { ...evaluationOfResult(result, status === 'checkmate'), isFinal: true });
  }

  /** Plays moves from the position that is shown: `moves` in UCI's notation, or `typed` as people write them. */
  async play(moves, typed = '') {
    const from = this.node;
    const known = this.tree.describe(from);
    const answer = await ask({ ...known, moves: [...known.moves, ...moves], ...(typed && { typed }) });
    const played = answer.moves.slice(known.moves.length);
    if (!played.length) throw new Error('There is no move in this text.');
    const last = this.add(from, played);
    await this.select(last);
    return last;
  }

  /** Adds a line of moves after a position. Returns the last position. */
  add(from, moves, select = true) {
    const before = this.node;
    let first = null;
    let last = from;
    for (const move of moves) {
      const count = last.children.length;
      const next = this.tree.play(last, move);
      if (!first && last.children.length > count) first = next;
      last = next;
    }
    if (first) {
      const { parent } = first;
      const back = () => {
        parent.children = parent.children.filter(child => child !== first);
        this.tell('shaped');
        this.select(isInTree(this.node) && !select ? this.node : before);
      };
      const again = () => {
        parent.children = [...parent.children, first];
        this.tell('shaped');
        if (select) this.select(last);
      };
      this.steps.done('the move', back, again);
      this.tell('shaped');
    }
    return last;
  }

  /** Changes the order or the number of children, in a way that can be undone. */
  reshape(name, parents, change, node) {
    const before = this.node;
    const old = parents.map(parent => parent.children);
    const run = () => {
      change();
      this.tell('shaped');
      this.select(node);
    };
    const back = () => {
      parents.forEach((parent, index) => (parent.children = old[index]));
      this.tell('shaped');
      this.select(before);
    };
    run();
    this.steps.done(name, back, run);
  }

  /** Takes a position out, with all that follows. Returns how many moves that are. */
  remove(node = this.node) {
    const { parent } = node;
    if (!parent) return 0;
    let moves = 0;
    const open = [node];
    while (open.length) {
      moves++;
      open.push(...open.pop().children);
    }
    const isShown = this.tree.path(this.node).includes(node);
    const without = () => (parent.children = parent.children.filter(child => child !== node));
    this.reshape('the deletion', [parent], without, isShown ? parent : this.node);
    return moves;
  }

  /** Moves a variation up by one place, or makes it the main line. */
  promote(node, isMain) {
    const path = this.tree.path(node).filter(place => place.parent && place.parent.children[0] !== place);
    const wanted = isMain ? path : path.slice(-1);
    if (!wanted.length) return false;
    const change = () => {
      for (const place of wanted) {
        const others = place.parent.children.filter(child => child !== place);
        const index = isMain ? 0 : place.parent.children.indexOf(place) - 1;
        place.parent.children = [...others.slice(0, index), place, ...others.slice(index)];
      }
    };
    this.reshape(
      'the new order',
      wanted.map(place => place.parent),
      change,
      this.node,
    );
    return true;
  }

  /** Changes a field of a position, such as its comment, in a way that can be undone. */
  change(name, node, field, value) {
    const old = node[field];
    const put = content => {
      node[field] = content;
      this.tell('shaped');
      this.tell('annotated', node);
    };
    put(value);
    this.steps.done(
      name,
      () => put(old),
      () => put(value),
    );
  }

  /** Changes a tag of the game; an empty value takes it out. */
  name(tag, value) {
    const { tree } = this;
    const old = tree.tags;
    const tags = new Map(old);
    if (value) tags.set(tag, value);
    else tags.delete(tag);
    const put = content => {
      tree.tags = content;
      this.tell('shaped');
      this.tell('named');
    };
    put(tags);
    this.steps.done(
      'the names',
      () => put(old),
      () => put(tags),
    );
  }

  /** The evaluation of a position. */
  evaluate(node, best) {
    node.best = best;
    this.tell('evaluated', node);
  }
}

/** What can be undone and done again. */

const MOST_STEPS = 200;

export class Undo {
  constructor() {
    this.past = [];
    this.future = [];
  }

  /** Something was done. `back` and `again` are functions that change it back and do it again. */
  done(name, back, again) {
    this.past.push({ name, back, again });
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
  }

  /** Undoes the last step. Returns its name, or nothing if there is none. */
  undo() {
    const step = this.past.pop();
    if (!step) return null;
    step.back();
    this.future.push(step);
    return step.name;
  }

  redo() {
    const step = this.future.pop();
    if (!step) return null;
    step.again();
    this.past.push(step);
    return step.name;
  }
}

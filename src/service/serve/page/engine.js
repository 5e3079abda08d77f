/**
 * The engine behind the connection, as a UCI client sees it. Each `go` is answered by exactly one `bestmove`. So until
 * that comes, all lines belong to the search that runs, and the next search waits.
 */
export class Engine {
  /** `listener` has the functions `named(name)`, `limited(lines)`, `info(line, position)` and `changed()`. */
  constructor(send, listener) {
    this.send = send;
    this.listener = listener;
    this.reset();
  }

  /** After the connection was lost. What is wanted stays wanted. */
  reset() {
    this.isReady = false;
    this.running = null;
    this.isStopping = false;
    this.isFinished = false;
    this.options = new Map();
  }

  /** After the connection was made. */
  greet() {
    this.reset();
    this.send('uci');
  }

  /** Searches a position: `fen`, `moves` and `chess960`, with so many lines. */
  analyze(position, lines) {
    this.wanted = { position, lines };
    this.isFinished = false;
    this.proceed();
  }

  stop() {
    this.wanted = null;
    this.proceed();
  }

  get isSearching() {
    return this.running !== null;
  }

  receive(line) {
    if (line.startsWith('id name ')) {
      this.listener.named(line.slice('id name '.length));
    } else if (line.startsWith('option name MultiPV ')) {
      this.listener.limited(Number(/ max (\d+)/.exec(line)[1]));
    } else if (line === 'uciok') {
      this.isReady = true;
      this.proceed();
    } else if (line.startsWith('info ') && this.running && !this.isStopping) {
      this.listener.info(line, this.running.position);
    } else if (line.startsWith('bestmove')) {
      // A search that ends by itself has what was wanted; the server may limit how long it takes.
      this.isFinished = this.wanted === this.running;
      if (this.isFinished) this.wanted = null;
      this.running = null;
      this.isStopping = false;
      this.proceed();
      this.listener.changed();
    }
  }

  proceed() {
    if (!this.isReady || this.wanted === this.running) return;
    if (this.running) {
      if (!this.isStopping) this.send('stop');
      this.isStopping = true;
    } else if (this.wanted) {
      const { position, lines } = this.wanted;
      this.set('UCI_ShowWDL', true);
      this.set('UCI_AnalyseMode', true);
      this.set('Telemetry', true);
      this.set('MultiPV', lines);
      this.set('UCI_Chess960', position.chess960);
      const moves = position.moves.length ? ` moves ${position.moves.join(' ')}` : '';
      this.send(`position fen ${position.fen}${moves}`);
      this.send('go infinite');
      this.running = this.wanted;
      this.listener.changed();
    }
  }

  set(name, value) {
    if (this.options.get(name) === value) return;
    this.options.set(name, value);
    this.send(`setoption name ${name} value ${value}`);
  }
}

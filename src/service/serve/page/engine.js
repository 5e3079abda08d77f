/**
 * The engine behind the connection, as a UCI client sees it. Each `go` is answered by exactly one `bestmove`. So until
 * that comes, all lines belong to the search that runs, and the next search waits.
 */

/** What the server says when an infinite search is over. The `bestmove` still waits for a `stop`. */
const FINISHED = 'info string search finished';

export class Engine {
  /**
   * `listener` has the functions `named(name)`, `limited(lines)`, `threads(most)`, `info(line, position)`,
   * `finished(position)` and `changed()`; all but `info` may be missing.
   */
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

  /**
   * Searches a position: `fen`, `moves` and `chess960`. `how` has the number of `lines`, perhaps the number of
   * `threads`, and perhaps a limit: a `depth` or `milliseconds`.
   */
  analyze(position, how) {
    this.wanted = { position, how };
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
      this.listener.named?.(line.slice('id name '.length));
    } else if (line.startsWith('option name MultiPV ')) {
      this.listener.limited?.(Number(/ max (\d+)/.exec(line)[1]));
    } else if (line.startsWith('option name Threads ')) {
      this.listener.threads?.(Number(/ max (\d+)/.exec(line)[1]));
    } else if (line === 'uciok') {
      this.isReady = true;
      this.proceed();
    } else if (line === FINISHED) {
      // If something else is wanted by now, the search has been told to stop.
      if (this.wanted === this.running) this.halt();
    } else if (line.startsWith('info ') && this.running) {
      // Between `stop` and `bestmove` the last lines of the search come.
      this.listener.info(line, this.running.position);
    } else if (line.startsWith('bestmove')) {
      const { position } = this.running || {};
      // A search that ends by itself has found what was wanted; the server may limit how long it takes.
      this.isFinished = this.wanted === this.running;
      if (this.isFinished) this.wanted = null;
      this.running = null;
      this.isStopping = false;
      this.proceed();
      this.listener.changed?.();
      if (position) this.listener.finished?.(position);
    }
  }

  proceed() {
    if (!this.isReady || this.wanted === this.running) return;
    if (this.running) {
      this.halt();
    } else if (this.wanted) {
      const { position, how } = this.wanted;
      this.set('UCI_ShowWDL', true);
      this.set('UCI_AnalyseMode', true);
      this.set('Telemetry', Boolean(how.hasTelemetry));
      this.set('MultiPV', how.lines);
      if (how.threads) this.set('Threads', how.threads);
      this.set('UCI_Chess960', position.chess960);
      const moves = position.moves.length ? ` moves ${position.moves.join(' ')}` : '';
      this.send(`position fen ${position.fen}${moves}`);
      const limit = how.milliseconds ? `movetime ${how.milliseconds}` : how.depth ? `depth ${how.depth}` : 'infinite';
      this.send(`go ${limit}`);
      this.running = this.wanted;
      this.listener.changed?.();
    }
  }

  /** Ends the search that runs. Its last lines and its `bestmove` come soon. */
  halt() {
    if (this.running && !this.isStopping) this.send('stop');
    this.isStopping = true;
  }

  set(name, value) {
    if (this.options.get(name) === value) return;
    this.options.set(name, value);
    this.send(`setoption name ${name} value ${value}`);
  }
}

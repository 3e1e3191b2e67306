/**
 * A time limit that moves with each step of a piece of work. Moving it is next to nothing: the one timer goes off at the latest
 * after `pieceMs`, and looks then how much is left.
 */
export class MovingDeadline {
  readonly #input: { monotonicMs: () => number; pieceMs: number; onPassed: () => void };
  #lengthMs = Number.POSITIVE_INFINITY;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #goesOffAtMs = Number.POSITIVE_INFINITY;

  /** @param input.pieceMs - The shortest of the limits that are likely to be set: then no timer has to be set twice. */
  constructor(input: { monotonicMs: () => number; pieceMs: number; onPassed: () => void }) {
    this.#input = input;
  }

  /** So many milliseconds from now, in the place of any limit before. */
  set(lengthMs: number): void {
    const nowMs = this.#input.monotonicMs();
    this.#lengthMs = lengthMs;
    this.#endsAtMs = nowMs + lengthMs;
    if (this.#timer === undefined || this.#goesOffAtMs > this.#endsAtMs) {
      this.#start(nowMs);
    }
  }

  /** The same length again, from now. */
  renew(): void {
    this.set(this.#lengthMs);
  }

  /** No limit until the next one is set. */
  suspend(): void {
    this.#endsAtMs = Number.POSITIVE_INFINITY;
  }

  /** No limit, and nothing left behind. */
  end(): void {
    this.suspend();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(nowMs: number): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(this.#endsAtMs - nowMs, this.#input.pieceMs);
    this.#goesOffAtMs = nowMs + waitMs;
    this.#timer = setTimeout(look, waitMs, this);
  }

  /** For the timer. */
  look(): void {
    this.#timer = undefined;
    if (this.#endsAtMs === Number.POSITIVE_INFINITY) {
      return;
    }
    const nowMs = this.#input.monotonicMs();
    if (nowMs < this.#endsAtMs) {
      this.#start(nowMs);
      return;
    }
    this.suspend();
    this.#input.onPassed();
  }
}

/** One function for all: a closure for each call would be made and thrown away. */
function look(deadline: MovingDeadline): void {
  deadline.look();
}

/**
 * A time limit that moves with each step of a piece of work. Moving it is next to nothing: the one timer goes off when the first
 * of them would have, and looks then how much is left.
 */
export class MovingDeadline {
  readonly #input: { monotonicMs: () => number; shortestMs: number; onPassed: () => void };
  #lengthMs = Number.POSITIVE_INFINITY;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #goesOffAtMs = Number.POSITIVE_INFINITY;

  /** @param input.shortestMs - Of the limits that are likely to be set: then the timer need not be set anew for one of them. */
  constructor(input: { monotonicMs: () => number; shortestMs: number; onPassed: () => void }) {
    this.#input = input;
  }

  /** So many milliseconds from now; replaces any previous limit. */
  set(lengthMs: number): void {
    const nowMs = this.#input.monotonicMs();
    this.#lengthMs = lengthMs;
    this.#endsAtMs = nowMs + lengthMs;
    if (this.#timer === undefined || this.#goesOffAtMs > this.#endsAtMs) {
      this.#start(nowMs, Math.min(lengthMs, this.#input.shortestMs));
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

  #start(nowMs: number, waitMs: number): void {
    clearTimeout(this.#timer);
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
      // All that is left: a stream that lasts for hours is not looked at again and again.
      this.#start(nowMs, this.#endsAtMs - nowMs);
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

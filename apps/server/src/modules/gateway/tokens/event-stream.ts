const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const DATA = [0x64, 0x61, 0x74, 0x61] as const;

export type EventStreamEvents = {
  /** A piece of the data of the event that is open. */
  onData(chunk: Uint8Array, from: number, to: number): void;
  /** The event is whole. @param end - Place behind its last byte in the chunk that is being read. */
  onEventEnd(end: number): void;
};

/**
 * Reads server-sent events (WHATWG HTML, section 9.2.6) from pieces cut anywhere, and hands the bytes of `data` on without keeping
 * any: an event may have any size. Lines of one event are handed on as they come, because JSON takes a line break for a space.
 */
export class EventStream {
  readonly #events: EventStreamEvents;
  /** Bytes of the line so far that spell `data`; -1 once it is another field. */
  #matched = 0;
  #part: "field" | "space" | "value" = "field";
  #isLineEmpty = true;
  #isAfterCr = false;

  constructor(events: EventStreamEvents) {
    this.#events = events;
  }

  write(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      if (byte === LF && this.#isAfterCr) {
        this.#isAfterCr = false;
        at += 1;
        continue;
      }
      this.#isAfterCr = byte === CR;
      if (byte === LF || byte === CR) {
        this.#endLine(at + 1);
        at += 1;
      } else {
        at = this.#readLine(chunk, at, byte);
      }
    }
  }

  #readLine(chunk: Uint8Array, at: number, byte: number): number {
    this.#isLineEmpty = false;
    if (this.#part === "field") {
      if (byte === COLON) {
        this.#matched = this.#matched === DATA.length ? this.#matched : -1;
        this.#part = "space";
      } else {
        this.#matched = this.#matched >= 0 && DATA[this.#matched] === byte ? this.#matched + 1 : -1;
      }
      return at + 1;
    }
    if (this.#part === "space") {
      this.#part = "value";
      if (byte === SPACE) {
        return at + 1;
      }
    }
    const end = findLineEnd(chunk, at);
    if (this.#matched === DATA.length) {
      this.#events.onData(chunk, at, end);
    }
    return end;
  }

  #endLine(next: number): void {
    if (this.#isLineEmpty) {
      this.#events.onEventEnd(next);
    }
    this.#matched = 0;
    this.#part = "field";
    this.#isLineEmpty = true;
  }
}

function findLineEnd(chunk: Uint8Array, from: number): number {
  const lf = chunk.indexOf(LF, from);
  const end = lf === -1 ? chunk.length : lf;
  const cr = chunk.subarray(from, end).indexOf(CR);
  return cr === -1 ? end : from + cr;
}

import { EventStream } from "./event-stream.ts";
import { compilePointers, JsonValues } from "./json-values.ts";

/** The event with the usage of a stream takes some hundred bytes; a longer one passes as it comes. */
const HELD_BYTES_MAX = 16 * 1024;

const CHOICES = 0;
const FIRST_CHOICE = 1;
const USAGE = 2;
const POINTERS = compilePointers(["/choices", "/choices/0", "/usage"]);

/**
 * Takes the event out of a stream that the client did not ask for: the one with `usage` and no choice. An event is held until its end
 * is there, which is in the same piece unless the upstream cuts it; everything else passes byte for byte.
 */
export class UsageFilter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isLong = false;
  #seen = new Set<number>();
  #ends: { at: number; isUsage: boolean }[] = [];
  readonly #values = new JsonValues(POINTERS, {
    onValue: (place, { kind }) => {
      if (place !== USAGE || kind === "object") {
        this.#seen.add(place);
      }
    },
  });
  readonly #stream = new EventStream({
    onData: (chunk, from, to) => this.#values.write(chunk, from, to),
    onEventEnd: (at) => {
      const isUsage =
        this.#seen.has(USAGE) && this.#seen.has(CHOICES) && !this.#seen.has(FIRST_CHOICE);
      this.#ends.push({ at, isUsage });
      this.#seen = new Set();
      this.#values.reset();
    },
  });

  /** @returns What may go to the client now. */
  write(chunk: Buffer): Buffer {
    this.#ends = [];
    this.#stream.write(chunk);
    const passed: Buffer[] = [];
    let from = 0;
    for (const { at, isUsage } of this.#ends) {
      const isDropped = isUsage && !this.#isLong;
      if (!isDropped) {
        passed.push(...this.#held, chunk.subarray(from, at));
      }
      this.#clear();
      from = at;
    }
    const rest = chunk.subarray(from);
    if (this.#isLong) {
      passed.push(rest);
    } else if (rest.length > 0) {
      this.#held.push(rest);
      this.#heldBytes += rest.length;
      if (this.#heldBytes > HELD_BYTES_MAX) {
        passed.push(...this.#held);
        this.#clear();
        this.#isLong = true;
      }
    }
    return passed.length === 1 && passed[0] !== undefined ? passed[0] : Buffer.concat(passed);
  }

  /** @returns What is left of an event without an end. */
  end(): Buffer {
    const rest = Buffer.concat(this.#held);
    this.#clear();
    return rest;
  }

  #clear(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#isLong = false;
  }
}

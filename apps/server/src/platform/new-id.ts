import { randomFillSync } from "node:crypto";
import { joinId, type NewId } from "@turnpike/domain/ids/ids";

/** Random bytes of one id: two that may start the counter, and the last 64 bits, of which the variant takes two. */
const SEED_BYTES = 2;
const TAIL_BYTES = 8;
const ID_BYTES = SEED_BYTES + TAIL_BYTES;
/** Drawn and written as digits at once: to ask for a few costs as much as to ask for thousands. */
const POOL_BYTES = 512 * ID_BYTES;
/** Taken of the digits in two pieces: engines copy so few, while a longer piece would keep all of them in memory. */
const PIECE_DIGITS = TAIL_BYTES;
/** The counter has 12 bits; starting in the lower half leaves room for 2,048 ids in a millisecond. */
const COUNTER_START_MAX = 0x7ff;
const COUNTER_MAX = 0xfff;

/** Every count as three digits. */
const COUNTS = Array.from({ length: COUNTER_MAX + 1 }, (_, count) =>
  count.toString(16).padStart(3, "0"),
);

/**
 * Makes a minter of ids from UUIDv7: 48 bits of epoch milliseconds, a 12-bit counter and 62 random bits. The ids of one
 * minter ascend strictly, also within a millisecond and when the clock is set back; those of several ascend by the
 * millisecond. Every call needs a request id, and a general UUID library makes that one of the dearest steps of a call.
 *
 * @see RFC 9562 section 5.7, and 6.2 method 1 (the counter; when it is full, the timestamp runs ahead).
 */
export function createNewId(deps: { nowMs: () => number; fill: (pool: Buffer) => void }): NewId {
  const pool = Buffer.alloc(POOL_BYTES);
  let digits = "";
  let usedBytes = POOL_BYTES;
  let stampMs = 0;
  let stamp = "";
  let counter = COUNTER_MAX;

  function refill(): void {
    deps.fill(pool);
    for (let tailAt = SEED_BYTES; tailAt < POOL_BYTES; tailAt += ID_BYTES) {
      pool[tailAt] = ((pool[tailAt] ?? 0) & 0x3f) | 0x80;
    }
    digits = pool.toString("hex");
    usedBytes = 0;
  }

  return (kind) => {
    if (usedBytes === POOL_BYTES) {
      refill();
    }
    const nowMs = deps.nowMs();
    if (nowMs > stampMs || counter === COUNTER_MAX) {
      stampMs = Math.max(nowMs, stampMs + 1);
      stamp = stampMs.toString(16).padStart(12, "0");
      counter = pool.readUInt16LE(usedBytes) & COUNTER_START_MAX;
    } else {
      counter += 1;
    }
    const tailAt = 2 * (usedBytes + SEED_BYTES);
    usedBytes += ID_BYTES;
    const head = digits.slice(tailAt, tailAt + PIECE_DIGITS);
    const rest = digits.slice(tailAt + PIECE_DIGITS, tailAt + 2 * PIECE_DIGITS);
    return joinId(kind, `${stamp}7${COUNTS[counter] ?? ""}${head}${rest}`);
  };
}

/** The ids of this process. */
export const newUuidId: NewId = createNewId({ nowMs: Date.now, fill: randomFillSync });

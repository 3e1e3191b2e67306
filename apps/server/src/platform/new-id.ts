import { randomFillSync } from "node:crypto";
import { joinId, type NewId } from "@turnpike/domain/ids/ids";

/** Random bytes of one id: two that may start the counter, and the last 64 bits, of which the variant takes two. */
const SEED_BYTES = 2;
const TAIL_BYTES = 8;
/** Drawn at once: asking the system for a few bytes costs as much as asking for thousands. */
const POOL_BYTES = 512 * (SEED_BYTES + TAIL_BYTES);
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
  let usedBytes = POOL_BYTES;
  let stampMs = 0;
  let stamp = "";
  let counter = COUNTER_MAX;

  return (kind) => {
    if (usedBytes === POOL_BYTES) {
      deps.fill(pool);
      usedBytes = 0;
    }
    const nowMs = deps.nowMs();
    if (nowMs > stampMs || counter === COUNTER_MAX) {
      stampMs = Math.max(nowMs, stampMs + 1);
      stamp = stampMs.toString(16).padStart(12, "0");
      counter = pool.readUInt16LE(usedBytes) & COUNTER_START_MAX;
    } else {
      counter += 1;
    }
    const tailAt = usedBytes + SEED_BYTES;
    usedBytes = tailAt + TAIL_BYTES;
    pool[tailAt] = ((pool[tailAt] ?? 0) & 0x3f) | 0x80;
    const tail = pool.toString("hex", tailAt, usedBytes);
    return joinId(kind, `${stamp}7${COUNTS[counter] ?? ""}${tail}`);
  };
}

/** The ids of this process. */
export const newUuidId: NewId = createNewId({ nowMs: Date.now, fill: randomFillSync });

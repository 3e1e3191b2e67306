import { type LiveCall, liveCall } from "@turnpike/contract/live-calls";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";

/** Calls of one tenant that one process tells the others of, in one message. */
export type LiveMessage = {
  processId: string;
  /** Counts up: of messages that are equal to the byte the database carries one. */
  place: number;
  tenantId: TenantId;
  dropped: number;
  calls: LiveCall[];
};

const messageSchema = z.strictObject({
  processId: z.string(),
  place: z.int(),
  tenantId: tenantIdSchema,
  dropped: z.int(),
  calls: z.array(liveCall),
});

/** The database takes less than 8,000 bytes; the rest is room for what stands around the calls. */
const CALLS_BYTES_MAX = 7_600;
/** Of a tenant in one flush: with five flushes in a second more than anybody can read. */
const CALLS_MAX = 500;

/** `undefined` for what another version may have sent. */
export function parseLiveMessage(payload: string): LiveMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(payload)).data;
  } catch {
    // Not JSON: nobody of ours sent it.
    return undefined;
  }
}

/** Calls that wait to be told to other processes, bounded for each tenant; what does not fit is counted. */
export class LiveOutbox {
  readonly #waiting = new Map<TenantId, { calls: LiveCall[]; dropped: number }>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(tenantId: TenantId, call: LiveCall): void {
    const waiting = this.#at(tenantId);
    if (waiting.calls.length < CALLS_MAX) {
      waiting.calls.push(call);
    } else {
      waiting.dropped += 1;
    }
  }

  /** Takes all that waits, as messages that the database carries. */
  take(processId: string): { payloads: string[]; counts: Map<TenantId, number> } {
    const payloads: string[] = [];
    const counts = new Map<TenantId, number>();
    for (const [tenantId, { calls, dropped }] of this.#waiting) {
      counts.set(tenantId, calls.length + dropped);
      let chunk: LiveCall[] = [];
      let bytes = 0;
      const close = (lost: number) => {
        const place = payloads.length;
        const message: LiveMessage = { processId, place, tenantId, dropped: lost, calls: chunk };
        payloads.push(JSON.stringify(message));
        [chunk, bytes] = [[], 0];
      };
      for (const call of calls) {
        const length = Buffer.byteLength(JSON.stringify(call)) + 1;
        if (bytes + length > CALLS_BYTES_MAX) {
          close(0);
        }
        chunk.push(call);
        bytes += length;
      }
      close(dropped);
    }
    this.#waiting.clear();
    return { payloads, counts };
  }

  /** Counts what was taken and could not be sent. */
  miss(counts: ReadonlyMap<TenantId, number>): void {
    for (const [tenantId, count] of counts) {
      this.#at(tenantId).dropped += count;
    }
  }

  #at(tenantId: TenantId): { calls: LiveCall[]; dropped: number } {
    const known = this.#waiting.get(tenantId);
    if (known !== undefined) {
      return known;
    }
    const made = { calls: [], dropped: 0 };
    this.#waiting.set(tenantId, made);
    return made;
  }
}

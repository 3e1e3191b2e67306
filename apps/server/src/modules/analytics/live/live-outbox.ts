import { type LiveCall, liveCall } from "@turnpike/contract/live-calls";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";

/** Calls of one tenant that one process publishes in one message. */
export type LiveMessage = {
  processId: string;
  /** Counts up, because the database drops a notification that equals another one of the transaction. */
  index: number;
  tenantId: TenantId;
  dropped: number;
  calls: LiveCall[];
};

const messageSchema = z.strictObject({
  processId: z.string(),
  index: z.int(),
  tenantId: tenantIdSchema,
  dropped: z.int(),
  calls: z.array(liveCall),
});

/** The database takes less than 8,000 bytes; the rest is room for the envelope around the calls. */
const CALLS_BYTES_MAX = 7_600;
/** Calls of a tenant in one flush: with five flushes in a second, more than a person can read. */
const CALLS_MAX = 500;

/** @returns `undefined` for a message of another version. */
export function parseLiveMessage(payload: string): LiveMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(payload)).data;
  } catch {
    // Not JSON: no process of ours sent it.
    return undefined;
  }
}

/** Holds calls until they are published to other processes, bounded for each tenant. Calls that do not fit are counted. */
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

  /** Takes everything that waits, as messages that fit the database. */
  take(processId: string): { payloads: string[]; counts: Map<TenantId, number> } {
    const payloads: string[] = [];
    const counts = new Map<TenantId, number>();
    for (const [tenantId, { calls, dropped }] of this.#waiting) {
      counts.set(tenantId, calls.length + dropped);
      let chunk: LiveCall[] = [];
      let bytes = 0;
      const close = (lost: number) => {
        const index = payloads.length;
        const message: LiveMessage = { processId, index, tenantId, dropped: lost, calls: chunk };
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

  /** Counts calls that were taken and could not be published. */
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

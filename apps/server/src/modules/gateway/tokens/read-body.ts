import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "#platform/clock.ts";
import type { ProxyCallLimits } from "../proxy/proxy-call-input.ts";
import { type BodyFailure, contentLengthOf, RequestBody } from "../proxy/request-body.ts";

/** Bodies of calls that are decided on their content, in all calls of a thread together. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;

/** The bytes of bodies that are held until their calls are decided and sent. */
export type BodyMemory = { held: number };

export type HeldBody = {
  bytes: Buffer;
  /** Gives its memory back, once. */
  release(): void;
};

export type BodyOutcome = { body: HeldBody } | { failure: BodyFailure | "OVERLOADED" };

/**
 * Reads the body of a call as a whole, because what it asks for decides whether there is room for it. Bounded for the call and for all
 * calls together.
 */
export async function readBody(
  call: {
    req: IncomingMessage;
    res: ServerResponse;
    maxBytes: number;
    limits: ProxyCallLimits;
    clock: Clock;
  },
  memory: BodyMemory,
): Promise<BodyOutcome> {
  const { req, res, maxBytes, limits, clock } = call;
  if ((contentLengthOf(req) ?? 0) > maxBytes) {
    return { failure: "PAYLOAD_TOO_LARGE" };
  }
  const body = new RequestBody({
    req,
    res,
    clock,
    limits: {
      maxBytes,
      windowMs: limits.clientIdleMs,
      minBytesPerSecond: limits.minUploadBytesPerSecond,
    },
  });
  const chunks: Buffer[] = [];
  let held = 0;
  const release = (): void => {
    memory.held -= held;
    held = 0;
  };
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      held += chunk.length;
      memory.held += chunk.length;
      if (memory.held > HELD_BYTES_MAX) {
        release();
        return { failure: "OVERLOADED" };
      }
      chunks.push(chunk);
    }
    return { body: { bytes: Buffer.concat(chunks), release } };
  } catch (error) {
    release();
    if (body.failure === undefined) {
      throw error;
    }
    return { failure: body.failure };
  }
}

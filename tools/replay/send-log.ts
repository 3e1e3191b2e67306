import type { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { LoggedCall, LogItem } from "./access-log.ts";
import type { ReplayState } from "./replay-state.ts";
import { createAgent, type Gateway, sendCall } from "./send-call.ts";

export type SendInput = {
  gateway: Gateway;
  key: string;
  items: AsyncIterable<LogItem>;
  state: ReplayState;
  concurrency: number;
  /** Lines of the file to send at most. */
  limit: number;
  /** How long to go on trying while the gateway answers nothing, milliseconds. */
  waitMs: number;
  signal: AbortSignal;
  onLine: () => void;
};

export type SendResult = {
  /** Lines that cannot be sent, the first of them with the reason. */
  skipped: { count: number; first: { line: number; reason: string }[] };
  /** Answers whose body was cut off or of another size. */
  cut: number;
  /** Answers of the stub with another status than the logged one. */
  otherStatus: number;
};

/** The replay ended before the log did. */
export class ReplayStopped extends Error {
  override readonly name = "ReplayStopped";
}

/** The replay cannot begin: nothing was sent. */
export class ReplayImpossible extends Error {
  override readonly name = "ReplayImpossible";
}

const SKIPPED_SHOWN_MAX = 20;
const RETRY_FIRST_MS = 20;
const RETRY_MAX_MS = 500;

type Shared = SendInput & { agent: Agent; result: SendResult; lastAnswerAtMs: number };

/** Sends a line until it is answered; the time limit is shared, so that one dead gateway is waited for once. */
async function sendUntilAnswered(shared: Shared, call: LoggedCall): Promise<void> {
  const { state, result } = shared;
  let retryMs = RETRY_FIRST_MS;
  for (;;) {
    shared.signal.throwIfAborted();
    const attempt = await sendCall({ ...shared, call });
    if (attempt.kind === "answered") {
      shared.lastAnswerAtMs = performance.now();
      state.answered.add(call.line);
      state.byStatus.set(attempt.status, (state.byStatus.get(attempt.status) ?? 0) + 1);
      result.cut += attempt.isWhole ? 0 : 1;
      result.otherStatus += attempt.status === call.status ? 0 : 1;
      return;
    }
    if (attempt.kind === "unanswered" && attempt.wasSent) {
      state.unanswered += 1;
    }
    // 503 is the gateway asking for patience: it cannot decide while the database is away.
    if (attempt.kind === "refused" && attempt.status !== 503) {
      throw new ReplayStopped(
        `line ${call.line}: the gateway answered ${attempt.status} itself (${attempt.detail}).`,
      );
    }
    if (performance.now() - shared.lastAnswerAtMs > shared.waitMs) {
      const what = attempt.kind === "refused" ? attempt.detail : "no connection, or no answer";
      throw new ReplayStopped(
        `the gateway has not answered for ${Math.round(shared.waitMs / 1000)} s (${what}).`,
      );
    }
    await delay(retryMs);
    retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
  }
}

function skip(result: SendResult, item: { line: number; reason: string }): void {
  result.skipped.count += 1;
  if (result.skipped.first.length < SKIPPED_SHOWN_MAX) {
    result.skipped.first.push(item);
  }
}

/**
 * Sends every line that was not answered yet, a bounded number at once, and keeps count in `state`. A line is sent again
 * only when no answer to it came.
 *
 * @throws {ReplayStopped} When the gateway stays silent or refuses; `state` says how far it came.
 */
export async function sendLog(input: SendInput): Promise<SendResult> {
  const shared: Shared = {
    ...input,
    agent: createAgent(input.concurrency),
    result: { skipped: { count: 0, first: [] }, cut: 0, otherStatus: 0 },
    lastAnswerAtMs: performance.now(),
  };
  const lines = input.items[Symbol.asyncIterator]();
  let taken = 0;
  let failure: unknown;
  async function work(): Promise<void> {
    while (failure === undefined && taken < input.limit) {
      taken += 1;
      const next = await lines.next();
      if (next.done === true) {
        return;
      }
      const item = next.value;
      if ("reason" in item) {
        skip(shared.result, item);
      } else if (!input.state.answered.has(item.line)) {
        await sendUntilAnswered(shared, item.call);
      }
      input.onLine();
    }
  }
  const workers = Array.from({ length: input.concurrency }, () =>
    work().catch((error: unknown) => {
      failure ??= error;
    }),
  );
  await Promise.all(workers);
  shared.agent.destroy();
  if (failure !== undefined) {
    throw failure;
  }
  return shared.result;
}

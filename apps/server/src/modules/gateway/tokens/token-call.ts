import type { TokenCounts } from "@turnpike/domain/metering/token-counts";
import type { Logger } from "#platform/logger.ts";
import type { Admission } from "../decide/decide-call.ts";
import type { AnswerHead, AnswerTap } from "../proxy/answer-tap.ts";
import type { CallRecorder, CallTarget } from "../record-call.ts";
import { AnswerReader, type AnswerTokens, toBilledTokens } from "./answer-reader.ts";
import type { TokenRequest } from "./read-token-request.ts";
import type { Reservation } from "./reserve-tokens.ts";
import { type TokenRules, toMeterUnits } from "./token-rules.ts";
import { UsageFilter } from "./usage-filter.ts";

export type TokenCallDeps = {
  callRecorder: Pick<CallRecorder, "recordUnits" | "abandon">;
  logger: Logger;
};

/** What is known of a call when it is sent. */
export type MeteredTokens = {
  requestId: string;
  rules: TokenRules;
  request: Pick<TokenRequest, "model" | "bound" | "isUsageAsked"> & { requestBytes: number };
  /** Of the call itself; its own units are none of ours. */
  admission: Admission;
  reservations: readonly Reservation[];
  target: Omit<CallTarget, "meterId">;
};

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The tokens of one call: holds what it may cost, reads its answer as it passes, and settles when the answer ends, however it ends.
 * What was reserved and not used goes back at that moment.
 */
export class TokenCall implements AnswerTap {
  readonly readOnMs: number;
  readonly #deps: TokenCallDeps;
  readonly #call: MeteredTokens;
  #reader: AnswerReader | undefined;
  #filter: UsageFilter | undefined;
  #status = 0;
  #encodedBytes: number | undefined;
  #isEnded = false;
  #billed: TokenCounts | undefined;

  constructor(deps: TokenCallDeps, call: MeteredTokens) {
    this.#deps = deps;
    this.#call = call;
    this.readOnMs = call.rules.readOnSeconds * 1000;
  }

  /** The model that the request names; empty when it names none. */
  get model(): string {
    return this.#call.request.model;
  }

  /** What the call is billed for; undefined before its end, and for a call that is free. */
  get billed(): TokenCounts | undefined {
    return this.#billed;
  }

  get changesLength(): boolean {
    return this.#filter !== undefined;
  }

  start({ status, contentType, contentEncoding }: AnswerHead): void {
    this.#status = status;
    if (!isBilled(status)) {
      return;
    }
    const isEventStream = /^text\/event-stream\s*(?:;|$)/i.test(contentType);
    const isEncoded = contentEncoding !== "" && contentEncoding.toLowerCase() !== "identity";
    if (isEncoded) {
      this.#encodedBytes = 0;
      return;
    }
    this.#reader = new AnswerReader(this.#call.rules, isEventStream);
    if (isEventStream && this.#call.request.isUsageAsked) {
      this.#filter = new UsageFilter();
    }
  }

  write(chunk: Buffer): Buffer {
    this.#reader?.write(chunk);
    if (this.#encodedBytes !== undefined) {
      this.#encodedBytes += chunk.length;
    }
    return this.#filter?.write(chunk) ?? chunk;
  }

  /** The upstream had the whole request, and its answer will not be waited for: the prompt counts. */
  startUnanswered(): void {
    this.#status = 200;
  }

  end(isWhole: boolean): Buffer {
    const rest = this.#filter?.end() ?? NOTHING;
    if (!this.#isEnded) {
      this.#isEnded = true;
      this.#settle(isWhole);
    }
    return rest;
  }

  #settle(isWhole: boolean): void {
    const { rules, request, reservations, requestId } = this.#call;
    const { callRecorder, logger } = this.#deps;
    if (!isBilled(this.#status)) {
      for (const reservation of reservations) {
        callRecorder.abandon(reservation.admission);
      }
      return;
    }
    const answer: AnswerTokens = this.#reader?.tokens ?? {
      stated: {},
      textBytes: this.#encodedBytes ?? 0,
    };
    const { tokens, isEstimated } = toBilledTokens(rules, answer, {
      requestBytes: request.requestBytes,
      inputMax: request.bound.input,
      isWhole,
    });
    this.#billed = tokens;
    const ofAnswer = rules.modelFrom === "answer" ? answer.model : undefined;
    const target = { ...this.#call.target, model: ofAnswer ?? request.model };
    if (isEstimated) {
      logger.info({ requestId, tokens }, "the tokens of a call were estimated");
    }
    const used = new Map(toMeterUnits(rules, request.model, tokens));
    const status = this.#status;
    for (const reservation of reservations) {
      const { meterId, units, admission } = reservation;
      const quantity = used.get(meterId) ?? 0;
      used.delete(meterId);
      if (quantity > units) {
        logger.warn(
          { requestId, meter: meterId, reserved: units, used: quantity },
          "a call used more tokens than it reserved",
        );
      }
      callRecorder.recordUnits(admission, { ...target, meterId }, { quantity, status });
    }
    // Meters that nothing was reserved of, as for output where the path should have none.
    const free = { ...this.#call.admission, hold: undefined, keyHold: undefined };
    for (const [meterId, quantity] of used) {
      callRecorder.recordUnits(free, { ...target, meterId }, { quantity, status });
    }
  }
}

/** An answer that is no success is free, as its call is. */
function isBilled(status: number): boolean {
  return status >= 200 && status < 300;
}

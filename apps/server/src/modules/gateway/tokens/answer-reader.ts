import type { TokenCounts } from "@turnpike/domain/metering/token-counts";
import { EventStream } from "./event-stream.ts";
import { type FoundValue, JsonValues } from "./json-values.ts";
import { estimateTokens } from "./read-token-request.ts";
import type { TokenRules } from "./token-rules.ts";

/** What an answer said of its tokens, and what it looked like. */
export type AnswerTokens = {
  /** As far as the answer said. */
  stated: Partial<TokenCounts>;
  /** Bytes of text that came, for an estimate. */
  textBytes: number;
  /** The model that answered; undefined when the answer names none. */
  model?: string | undefined;
};

/** What no model gives in one answer: a larger number is a fault of the upstream. */
const STATED_MAX = 1_000_000_000;

/** Reads the tokens of an answer as it passes, whole or as a stream of events, in constant memory. */
export class AnswerReader {
  readonly #rules: TokenRules;
  readonly #values: JsonValues;
  readonly #stream: EventStream | undefined;
  readonly #stated: Partial<TokenCounts> = {};
  #textBytes = 0;
  #model: string | undefined;

  constructor(rules: TokenRules, isEventStream: boolean) {
    this.#rules = rules;
    this.#values = new JsonValues(rules.answer.pointers, {
      onValue: (place, value) => this.#take(place, value),
    });
    this.#stream = isEventStream
      ? new EventStream({
          onData: (chunk, from, to) => this.#values.write(chunk, from, to),
          onEventEnd: () => this.#values.reset(),
        })
      : undefined;
  }

  write(chunk: Uint8Array): void {
    if (this.#stream === undefined) {
      this.#values.write(chunk);
    } else {
      this.#stream.write(chunk);
    }
  }

  get tokens(): AnswerTokens {
    return { stated: this.#stated, textBytes: this.#textBytes, model: this.#model };
  }

  #take(place: number, value: FoundValue): void {
    const part = this.#rules.answer.parts[place];
    if (part === "text") {
      this.#textBytes += value.kind === "string" ? value.bytes : 0;
    } else if (part === "answerModel") {
      this.#model = value.kind === "string" ? value.text : this.#model;
    } else if (part !== undefined && value.kind === "number") {
      const count = Number(value.text);
      if (Number.isSafeInteger(count) && count >= 0 && count <= STATED_MAX) {
        this.#stated[part] = count;
      }
    }
  }
}

/**
 * What a call is billed for. What the answer says counts. Where it says nothing of the prompt or of the text that came, those are
 * estimated from their bytes.
 *
 * @param call.requestBytes - Of the body, an upper bound for the text of the prompt.
 * @param call.isWhole - False when the answer broke off, so that what it said of its output was a sum so far.
 */
export function toBilledTokens(
  rules: TokenRules,
  { stated, textBytes }: AnswerTokens,
  call: { requestBytes: number; inputMax: number; isWhole: boolean },
): { tokens: TokenCounts; isEstimated: boolean } {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = stated;
  const cached = rules.inputIncludesCached ? cacheRead : 0;
  const estimatedOutput = estimateTokens(textBytes);
  const outputSoFar = call.isWhole ? output : Math.max(output ?? 0, estimatedOutput);
  return {
    tokens: {
      input: Math.max(
        0,
        (input ?? Math.min(estimateTokens(call.requestBytes), call.inputMax)) - cached,
      ),
      cacheRead,
      cacheWrite,
      output: outputSoFar ?? (input === undefined ? estimatedOutput : 0),
    },
    isEstimated: input === undefined || (!call.isWhole && estimatedOutput > (output ?? 0)),
  };
}

import { type FoundValue, JsonValues } from "./json-values.ts";
import type { RequestPart, TokenRoute, TokenRules } from "./token-rules.ts";

/** What a request says about its cost. */
export type TokenRequest = {
  /** Empty when the request names none. */
  model: string;
  /** The most tokens of each kind that it can take, as far as the request says. */
  bound: { input: number; output: number };
  /** Bytes for the upstream: those of the client, or with the question for the usage of its stream. */
  body: Buffer;
  /** True when the client did not ask for the usage of its stream and the gateway does. */
  isUsageAsked: boolean;
};

export type TokenRequestFault = { fault: string };

/** More than any model takes or gives. */
const TOKENS_MAX = 1_000_000_000;

/** Estimates suppose so many bytes of text for a token, as is usual for English. */
const BYTES_OF_A_TOKEN = 4;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_OF_A_TOKEN);
}

type Found = Map<RequestPart, { value: FoundValue; place: number }[]>;

/**
 * Reads a request. A field that decides the price must be there once and in one spelling: the upstream could take another one of
 * two than the gateway did.
 */
export function readTokenRequest(
  rules: TokenRules,
  route: TokenRoute,
  body: Buffer,
): TokenRequest | TokenRequestFault {
  const found: Found = new Map();
  let fault: string | undefined;
  const values = new JsonValues(rules.request.pointers, {
    onValue: (place, value) => {
      const part = rules.request.parts[place];
      if (part !== undefined) {
        const others = found.get(part) ?? [];
        if (others.some((other) => other.place === place)) {
          fault = "The body has a field twice that says what the call costs.";
        }
        found.set(part, [...others, { value, place }].slice(-8));
      }
    },
    onAlias: (name) => {
      fault = `The field ${JSON.stringify(name)} is spelled with other letters than the API has.`;
    },
  });
  values.write(body);
  if (fault !== undefined) {
    return { fault };
  }
  const input = Math.min(Math.ceil(body.length / rules.bytesPerToken), rules.inputTokensMax);
  const model = found.get("model")?.[0]?.value.text ?? "";
  const isUsageAsked = route.asksUsage && isTrue(found, "stream") && !isTrue(found, "includeUsage");
  return {
    model,
    bound: { input, output: route.hasOutput ? boundOutput(rules, found) : 0 },
    body: isUsageAsked ? askForUsage(body, found) : body,
    isUsageAsked,
  };
}

function isTrue(found: Found, part: RequestPart): boolean {
  return found.get(part)?.[0]?.value.text === "true";
}

function numbersOf(found: Found, part: RequestPart): number[] {
  return (found.get(part) ?? [])
    .filter(({ value }) => value.kind === "number")
    .map(({ value }) => Math.ceil(Number(value.text)))
    .filter((number) => number >= 0)
    .map((number) => Math.min(number, TOKENS_MAX));
}

/** Of several bounds the largest: which one an upstream obeys is its own affair. */
function boundOutput(rules: TokenRules, found: Found): number {
  const stated = numbersOf(found, "outputMax");
  const each = stated.length === 0 ? rules.outputTokensDefault : Math.max(...stated);
  return Math.min(each * Math.max(1, ...numbersOf(found, "copies")), TOKENS_MAX);
}

/** Changes as few bytes as it takes. */
function askForUsage(body: Buffer, found: Found): Buffer {
  const usage = found.get("includeUsage")?.[0]?.value;
  const options = found.get("options")?.[0]?.value;
  const replace = (start: number, length: number, text: string) =>
    Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(start + length)]);
  if (usage?.text !== undefined && usage.kind !== "string") {
    return replace(usage.start, usage.text.length, "true");
  }
  if (options?.kind === "object" && usage === undefined) {
    const isEmpty = /^\{\s*\}/.test(body.subarray(options.start, options.start + 64).toString());
    return replace(options.start + 1, 0, `"include_usage":true${isEmpty ? "" : ","}`);
  }
  if (options?.kind === "literal" && options.text !== undefined) {
    return replace(options.start, options.text.length, '{"include_usage":true}');
  }
  const first = body.indexOf("{");
  return options === undefined
    ? replace(first + 1, 0, '"stream_options":{"include_usage":true},')
    : body;
}

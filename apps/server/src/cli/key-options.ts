import { UsageError } from "./usage-error.ts";

/** What a key may be given on the command line beside its name, as commander hands it over. */
export type KeyOptions = {
  scope?: string[] | undefined;
  network?: string[] | undefined;
  rateLimit?: string[] | undefined;
  quota?: string[] | undefined;
  concurrency?: string | undefined;
  metadata?: string[] | undefined;
  expires?: string | undefined;
};

/** Where the fields come from, for mistakes. */
export const KEY_FIELD_NAMES = {
  scopes: "--scope",
  allowedNetworks: "--network",
  rateLimits: "--rate-limit",
  quotas: "--quota",
  concurrency: "--concurrency",
  metadata: "--metadata",
  expiresAt: "--expires",
} as const;

export const KEY_OPTION_TEXTS = {
  network: ["--network <cidr...>", "where calls may come from: addresses and ranges"],
  rateLimit: [
    "--rate-limit <limit...>",
    "calls in a window, as name=calls/seconds: burst=100/60 are 100 calls in a minute",
  ],
  quota: ["--quota <quota...>", "hard cap for a billing period, as meter=units: requests=10000"],
  concurrency: ["--concurrency <calls>", "calls through the gateway at once; none for no limit"],
  metadata: ["--metadata <entry...>", "what replies carry along, as name=value: team=maps"],
  expires: ["--expires <instant>", "when it stops to work"],
} as const;

const WHOLE = /^\d{1,15}$/;

/** Splits at the first equals sign. @throws {UsageError} without a name before it. */
function splitEntry(text: string, expected: string): [name: string, value: string] {
  const place = text.indexOf("=");
  if (place < 1) {
    throw new UsageError(`"${text}" is not ${expected}`);
  }
  return [text.slice(0, place), text.slice(place + 1)];
}

function parseWholeOf(value: string, text: string, expected: string): number {
  if (!WHOLE.test(value)) {
    throw new UsageError(`"${text}" is not ${expected}`);
  }
  return Number(value);
}

function parseRateLimit(text: string): { name: string; limit: number; windowSeconds: number } {
  const expected = "a rate limit such as burst=100/60";
  const [name, value] = splitEntry(text, expected);
  const [limit = "", seconds = "", ...rest] = value.split("/");
  if (rest.length > 0) {
    throw new UsageError(`"${text}" is not ${expected}`);
  }
  return {
    name,
    limit: parseWholeOf(limit, text, expected),
    windowSeconds: parseWholeOf(seconds, text, expected),
  };
}

function parseQuota(text: string): { meter: string; limit: number } {
  const expected = "a quota such as requests=10000";
  const [meter, value] = splitEntry(text, expected);
  return { meter, limit: parseWholeOf(value, text, expected) };
}

function parseConcurrency(text: string | undefined): number | null | undefined {
  if (text === undefined) {
    return;
  }
  return text === "none" ? null : parseWholeOf(text, text, "a number of calls, or none");
}

function parseMetadata(entries: readonly string[]): Record<string, string> {
  const pairs = entries.map((text) => splitEntry(text, "an entry such as team=maps"));
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) {
    throw new UsageError(`--metadata names "${twice}" twice`);
  }
  return Object.fromEntries(pairs);
}

/**
 * What the options say, in the words of the API; what is not given is undefined. One empty text (`--network ""`) takes all
 * away.
 *
 * @throws {UsageError} for what does not have the form of its option; whether it is allowed is the schema's to say.
 */
export function toKeyInput(options: KeyOptions): Record<string, unknown> {
  const listed = (values: readonly string[] | undefined): readonly string[] | undefined =>
    values?.length === 1 && values[0] === "" ? [] : values;
  const metadata = listed(options.metadata);
  return {
    scopes: listed(options.scope),
    allowedNetworks: listed(options.network),
    rateLimits: listed(options.rateLimit)?.map(parseRateLimit),
    quotas: listed(options.quota)?.map(parseQuota),
    concurrency: parseConcurrency(options.concurrency),
    metadata: metadata && parseMetadata(metadata),
    expiresAt: options.expires,
  };
}

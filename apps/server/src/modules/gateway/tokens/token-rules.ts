import {
  TOKEN_KINDS,
  type TokenCounts,
  type TokenKind,
} from "@turnpike/domain/metering/token-counts";
import { compilePointers, type JsonPointers } from "./json-values.ts";
import { TOKEN_PROTOCOLS, type TokenPointers, type TokenProtocolName } from "./token-protocols.ts";

/** A meter of the catalogue that counts tokens. */
export type TokenMeter = {
  meter: string;
  counts: readonly TokenKind[];
  /** Names of models, or their beginning with a `*` at the end. Left out: every model that no meter before it takes. */
  models?: readonly string[] | undefined;
  /** Units of the meter for one token. */
  weight: number;
};

/** How the gateway meters an upstream that answers with tokens, as the operator configures it. */
export type TokenMetering = {
  protocol: TokenProtocolName;
  meters: readonly TokenMeter[];
  /** Ends of the paths that answer with tokens. Left out: those of the protocol. */
  paths?: readonly string[] | undefined;
  /** Replace places of the protocol. */
  pointers?: { [Name in keyof TokenPointers]?: TokenPointers[Name] | undefined } | undefined;
  /** Reserved where the request states no bound of its own. */
  outputTokensDefault: number;
  /** The most that one prompt can have. */
  inputTokensMax: number;
  /** Bytes of the request for one token of its prompt, when reserving. */
  bytesPerToken: number;
  requestBytesMax: number;
  /** Asks for the usage of a stream where the client did not, and keeps the event with it from the client. */
  asksStreamUsage: boolean;
  /** How long an answer is read on whose client has left, in seconds. */
  readOnSeconds: number;
  /** Whose name of the model tokens are counted under. Prices go by that of the request in any case. */
  modelFrom: "request" | "answer";
};

/** Units by meter. */
export type MeterUnits = ReadonlyMap<string, number>;

const ANSWER_PARTS = [...TOKEN_KINDS, "answerModel", "text"] as const;
export type AnswerPart = (typeof ANSWER_PARTS)[number];

export type RequestPart = "model" | "outputMax" | "copies" | "stream" | "options" | "includeUsage";

/** What of a path decides how it is metered. */
export type TokenRoute = { hasOutput: boolean; asksUsage: boolean };

/** {@link TokenMetering}, prepared once for each upstream. */
export type TokenRules = TokenMetering & {
  request: { pointers: JsonPointers; parts: readonly RequestPart[] };
  answer: { pointers: JsonPointers; parts: readonly AnswerPart[] };
  inputIncludesCached: boolean;
  /** @returns Undefined for a path that does not answer with tokens. */
  routeOf(rawTarget: string): TokenRoute | undefined;
};

export function compileTokenRules(config: TokenMetering): TokenRules {
  const protocol = TOKEN_PROTOCOLS[config.protocol];
  const pointers: TokenPointers = { ...protocol.pointers };
  for (const [name, value] of Object.entries(config.pointers ?? {})) {
    if (value !== undefined) {
      Object.assign(pointers, { [name]: value });
    }
  }
  const paths = (config.paths ?? protocol.paths).map((path) => path.toLowerCase());
  return {
    ...config,
    request: index<RequestPart>([
      ["model", [pointers.model]],
      ["outputMax", pointers.outputMax],
      ["copies", pointers.copies],
      ["stream", ["/stream"]],
      ["options", ["/stream_options"]],
      ["includeUsage", ["/stream_options/include_usage"]],
    ]),
    answer: index<AnswerPart>(ANSWER_PARTS.map((part) => [part, pointers[part]])),
    inputIncludesCached: protocol.inputIncludesCached,
    routeOf: (rawTarget) => {
      const path = toPath(rawTarget);
      const endsIn = (end: string) => path.endsWith(end);
      return paths.some(endsIn)
        ? {
            hasOutput: !protocol.inputOnlyPaths.some(endsIn),
            asksUsage: config.asksStreamUsage && protocol.askedUsagePaths.some(endsIn),
          }
        : undefined;
    },
  };
}

/** Frameworks take letters of any case and a slash at the end; a path that they could read in yet other ways was refused. */
function toPath(rawTarget: string): string {
  return rawTarget.replace(/\?.*$/s, "").replace(/\/+$/, "").toLowerCase();
}

function index<Part extends string>(
  places: readonly (readonly [Part, readonly string[]])[],
): { pointers: JsonPointers; parts: readonly Part[] } {
  const pairs = places.flatMap(([part, list]) => list.map((pointer) => [part, pointer] as const));
  return {
    pointers: compilePointers(pairs.map(([, pointer]) => pointer)),
    parts: pairs.map(([part]) => part),
  };
}

function isOf(models: readonly string[], model: string): boolean {
  return models.some((name) =>
    name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : name === model,
  );
}

function findMeter(rules: TokenRules, kind: TokenKind, model: string): TokenMeter | undefined {
  return rules.meters.find(
    ({ counts, models }) => counts.includes(kind) && (models === undefined || isOf(models, model)),
  );
}

/** Turns tokens into units of meters. A kind that no meter counts is free, but cached tokens are then input. */
export function toMeterUnits(rules: TokenRules, model: string, tokens: TokenCounts): MeterUnits {
  const units = new Map<string, number>();
  for (const kind of TOKEN_KINDS) {
    const isCached = kind === "cacheRead" || kind === "cacheWrite";
    const meter =
      findMeter(rules, kind, model) ?? (isCached ? findMeter(rules, "input", model) : undefined);
    if (meter !== undefined && tokens[kind] > 0) {
      const sum = (units.get(meter.meter) ?? 0) + tokens[kind] * meter.weight;
      units.set(meter.meter, Math.min(sum, Number.MAX_SAFE_INTEGER));
    }
  }
  return units;
}

/**
 * The most units that a call can take of each meter. What is cached is not known before: each meter that counts a part of the prompt
 * must have room for all of it.
 */
export function toUnitsMax(
  rules: TokenRules,
  model: string,
  bound: { input: number; output: number },
): MeterUnits {
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const most = new Map<string, number>();
  for (const kind of ["input", "cacheRead", "cacheWrite"] as const) {
    for (const [meter, units] of toMeterUnits(rules, model, { ...none, [kind]: bound.input })) {
      most.set(meter, Math.max(most.get(meter) ?? 0, units));
    }
  }
  for (const [meter, units] of toMeterUnits(rules, model, { ...none, output: bound.output })) {
    most.set(meter, (most.get(meter) ?? 0) + units);
  }
  return most;
}

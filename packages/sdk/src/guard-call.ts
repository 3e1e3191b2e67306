import type { Turnpike, VerifyOptions } from "./create-turnpike.ts";
import { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
import { findKey, isPreflight, KEY_LENGTH_MAX, type KeyInRequest } from "./find-key.ts";
import {
  findGuardedCall,
  isAnswered,
  isOwnTaking,
  keepGuardedCall,
  toFurtherRequest,
} from "./guarded-call.ts";
import { toLimitHeaders } from "./limit-headers.ts";
import { toAddress } from "./to-address.ts";
import { type Reply, toDenialReply } from "./to-denial-reply.ts";
import type { Verification, VerifyRequest } from "./verification.ts";

/** The caller, for your handler: the ids that the gateway would send as `X-Turnpike-*`. */
export type Caller = {
  /** `ten_…` */
  tenant: string;
  /** Id of the key, `key_…`; the key itself is gone. */
  key: string;
  plan: string;
  environment: "live" | "test";
  scopes: string[];
  metadata: Record<string, unknown>;
  /** False for a call that was let through while Turnpike could not be reached. */
  isVerified: boolean;
};

/**
 * Methods are compared loosely: a function of a policy may name the framework's own request, `FastifyRequest<…>` say, of which
 * the SDK knows only some of them.
 */
type PolicyFunction<Request, Answer> = { decide(request: Request): Answer }["decide"];

type Of<Value, Request> = Value | PolicyFunction<Request, Value | Promise<Value>>;

/** What a route requires of its callers; functions get the framework's own request. */
export type RoutePolicy<Request> = {
  /**
   * Whole units that the call takes. By default 1, and nothing further behind a guard that has metered the call; 0 checks the
   * key, and takes and meters nothing.
   */
  cost?: Of<number, Request>;
  /** What is metered. By default `requests`. */
  meter?: Of<string, Request>;
  /** Scopes that the call needs: `maps:read AND (maps:write OR admin:all)`. */
  scopes?: Of<string, Request>;
  /** What usage is broken down by as its route. By default the path of the call. */
  resource?: Of<string, Request>;
  /** The environment that keys must belong to. By default either. */
  environment?: "live" | "test";
  /** What happens to calls while Turnpike cannot be reached; see {@link VerifyOptions}. By default `deny`. */
  onUnavailable?: "deny" | "allow";
  /** Meters a call once although an answer of Turnpike's was lost, for a write to its database; see {@link VerifyOptions}. */
  exactlyOnce?: boolean;
  /** The address of the caller, when the framework does not know it or should not be trusted. */
  address?: PolicyFunction<Request, string | undefined>;
  /** Called when a call could not be decided: Turnpike was away, or refused the request (a wrong service key, say). */
  onError?(error: unknown, request: Request): void;
};

/** One call, seen without its framework. */
export type GuardedRequest<Request> = {
  request: Request;
  method: string;
  /** By lower-case name; the first value where there are several. */
  header: (name: string) => string | undefined;
  address: string | undefined;
  /** Path, with or without the query. */
  target: string;
};

export type Guarded =
  | { kind: "pass"; caller: Caller; removed: string[]; headers: Record<string, string> }
  | { kind: "preflight" }
  | { kind: "denied"; reply: Reply };

const UNAVAILABLE_RETRY_SECONDS = 2;

function toCaller(verdict: Extract<Verification, { valid: true }>): Caller {
  return {
    tenant: verdict.tenantId,
    key: verdict.keyId,
    plan: verdict.planId,
    environment: verdict.environment,
    scopes: verdict.scopes,
    metadata: verdict.metadata,
    isVerified: verdict.source !== "outage",
  };
}

/** The server takes paths up to this length. */
const RESOURCE_LENGTH_MAX = 500;

/** Of a target, what usage is broken down by: neither a query nor characters that no path has. */
function toResource(target: string): string | undefined {
  const path = (target.split(/[?#]/, 1)[0] ?? "").slice(0, RESOURCE_LENGTH_MAX);
  return /^\/[\x21-\x7e]*$/.test(path) ? path : undefined;
}

async function resolveValue<Value extends string | number, Request>(
  value: Of<Value, Request> | undefined,
  request: Request,
): Promise<Value | undefined> {
  return typeof value === "function" ? await value(request) : value;
}

async function toVerifyRequest<Request>(
  call: GuardedRequest<Request>,
  policy: RoutePolicy<Request>,
  key: KeyInRequest,
): Promise<VerifyRequest> {
  const { request } = call;
  const [cost, meter, scopes, resource] = await Promise.all([
    resolveValue(policy.cost, request),
    resolveValue(policy.meter, request),
    resolveValue(policy.scopes, request),
    resolveValue(policy.resource, request),
  ]);
  return withoutUndefined({
    key: key.text,
    cost,
    meter,
    scopes,
    resource: resource ?? toResource(call.target),
    environment: policy.environment,
    address: toAddress(policy.address?.(request) ?? call.address),
  });
}

function withoutUndefined(
  request: {
    [Name in Exclude<keyof VerifyRequest, "lock">]-?: VerifyRequest[Name] | undefined;
  } & { key: string },
): VerifyRequest {
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Omit<VerifyRequest, "lock">;
}

/** Asks only what no earlier guard has asked about this call, and remembers the answer for later ones. */
async function verifyFurther(
  turnpike: Turnpike,
  owner: object,
  { request, options }: { request: VerifyRequest; options: VerifyOptions },
): Promise<Verification> {
  const earlier = findGuardedCall(turnpike, owner);
  const passed = earlier?.passed ?? [];
  if (earlier !== undefined && isAnswered(request, earlier)) {
    return earlier.verdict;
  }
  const answer = await turnpike.verify(request, options);
  const isPassed = earlier !== undefined && isOwnTaking(request, answer.code, earlier);
  const verdict = isPassed ? earlier.verdict : answer;
  if (verdict.valid) {
    keepGuardedCall(turnpike, owner, { key: request.key, passed: [...passed, request], verdict });
  }
  return verdict;
}

/**
 * Decides one call for a framework: finds the key, has it verified, and says what to do. A call that a guard of the same client
 * has let pass keeps its key, and is asked about only what is new.
 *
 * @returns `pass` with the caller, the headers to take out of the request and those to put on the answer; `preflight` for a
 *   browser that asks whether it may call; `denied` with the whole answer.
 */
export async function guardCall<Request extends object>(
  turnpike: Turnpike,
  policy: RoutePolicy<Request>,
  call: GuardedRequest<Request>,
): Promise<Guarded> {
  const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
  const deny = (reply: Parameters<typeof toDenialReply>[0]["reply"], cost = 1): Guarded => ({
    kind: "denied",
    reply: toDenialReply({
      reply,
      cost,
      publicUrl: turnpike.publicUrl,
      epochMs: turnpike.epochMs(),
    }),
  });

  const earlier = findGuardedCall(turnpike, call.request);
  const key = earlier === undefined ? findKey(call.header) : { text: earlier.key, headerNames: [] };
  if (key === undefined) {
    return isPreflight(call)
      ? { kind: "preflight" }
      : deny({
          code: "MISSING_KEY",
          requestId,
          detail: "Send your API key in the header Authorization: Bearer or X-Api-Key.",
        });
  }
  if (key.text.length > KEY_LENGTH_MAX) {
    return deny({ code: "INVALID_KEY", requestId, detail: "This API key is not known." });
  }
  const { onUnavailable = "deny", exactlyOnce = onUnavailable === "allow" } = policy;
  try {
    const whole = await toVerifyRequest(call, policy, key);
    const request = earlier === undefined ? whole : toFurtherRequest(whole, earlier);
    const options = { onUnavailable, exactlyOnce };
    const verdict = await verifyFurther(turnpike, call.request, { request, options });
    return verdict.valid
      ? {
          kind: "pass",
          caller: toCaller(verdict),
          removed: key.headerNames,
          headers: toLimitHeaders(verdict.limits, turnpike.epochMs()),
        }
      : deny(verdict, request.cost);
  } catch (error) {
    if (!(error instanceof TurnpikeUnavailableError || error instanceof TurnpikeRequestError)) {
      throw error;
    }
    policy.onError?.(error, call.request);
    return deny({
      code: "LIMITS_UNAVAILABLE",
      requestId,
      detail: "API keys cannot be decided on right now. Try again in a moment.",
      retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
    });
  }
}

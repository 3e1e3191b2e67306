import { isUnderWay, TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
import { planRetry, readRetryAfterMs } from "./plan-retry.ts";
import type { Runtime } from "./runtime.ts";

export type ApiSettings = {
  runtime: Runtime;
  /** Without a slash at the end. */
  url: string;
  /** Empty where there is none. */
  serviceKey: string;
  /** Milliseconds for one attempt. */
  timeoutMs: number;
  /** Milliseconds for all attempts and the waits between them. */
  deadlineMs: number;
  retriesMax: number;
};

export type ApiCall = {
  path: string;
  body: object;
  /** Sent with every attempt: the server repeats its first answer and takes nothing again. */
  idempotencyKey: string | undefined;
  /**
   * False for what takes something and has no idempotency key: it is asked again only after failures that surely took nothing.
   */
  isRepeatable: boolean;
};

export type ApiReply = {
  /** Unparsed. */
  json: unknown;
  /** True for the replayed answer of an earlier request with the same idempotency key, up to a day old. */
  isReplay: boolean;
  /** Start of the attempt that was answered, in monotonic milliseconds: a slow answer is no newer than that. */
  askedAtMs: number;
};

/** The result of one attempt. */
type Attempt =
  | ApiReply
  | { error: TurnpikeUnavailableError; isRetryable: boolean; tookNothing: boolean };

const RETRYABLE: ReadonlySet<number> = new Set([502, 503, 504]);
/** 4xx codes that are not refusals: the request is under way, or came too slowly. */
const NO_REFUSALS: ReadonlySet<string> = new Set(["IDEMPOTENCY_KEY_IN_USE", "REQUEST_TIMEOUT"]);
/** Node's codes for a connection that was never made, so that nothing was sent. Other platforms have none. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Both empty where there is none. */
type Problem = { code: string; detail: string };

function readProblem(text: string): Problem {
  try {
    const json: unknown = JSON.parse(text);
    const { code, detail } = isRecord(json) ? json : {};
    return {
      code: typeof code === "string" ? code : "",
      detail: typeof detail === "string" ? detail : "",
    };
  } catch {
    return { code: "", detail: "" };
  }
}

function describeRefusal(status: number, { code, detail }: Problem): string {
  return `Turnpike answered ${String(status)}${code === "" ? "" : ` ${code}`}${detail === "" ? "" : `: ${detail}`}`;
}

/** @throws {TurnpikeRequestError} When Turnpike refuses the question. */
function judgeRefusal(reply: Response, text: string, epochMs: number): Attempt {
  const { status } = reply;
  const problem = readProblem(text);
  const { code } = problem;
  const retryAfter = reply.headers.get("retry-after");
  const isOwn = code !== "";
  const isRefused = status >= 400 && status < 500 && isOwn && !NO_REFUSALS.has(code);
  const said = describeRefusal(status, problem);
  const error = new TurnpikeUnavailableError(
    isOwn || status >= 500 ? said : `What answered ${String(status)} is not Turnpike`,
    { retryAfterMs: readRetryAfterMs(retryAfter, epochMs), code },
  );
  const isThrottled = status === 429;
  if (isRefused && !isThrottled) {
    throw new TurnpikeRequestError(said, { status, code });
  }
  return {
    error,
    isRetryable:
      RETRYABLE.has(status) || ((isThrottled || isUnderWay(error)) && retryAfter !== null),
    // Turnpike's own refusals have a code; a proxy in between cannot know what happened behind it.
    tookNothing: isOwn && (isThrottled || status === 503),
  };
}

/** True when the request was certainly never sent. */
function isNotConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isRecord(cause) && NOT_CONNECTED.has(cause["code"]);
}

async function attemptCall(
  settings: ApiSettings,
  call: ApiCall,
  timeoutMs: number,
): Promise<Attempt> {
  const { runtime } = settings;
  const askedAtMs = runtime.nowMs();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const reply = await runtime.fetch(`${settings.url}${call.path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${settings.serviceKey}`,
        "content-type": "application/json",
        accept: "application/json",
        ...(call.idempotencyKey === undefined ? {} : { "idempotency-key": call.idempotencyKey }),
      },
      body: JSON.stringify(call.body),
      // The service key must not follow a redirect to another host.
      redirect: "manual",
      signal: abort.signal,
    });
    const text = await reply.text();
    if (reply.status !== 200) {
      return judgeRefusal(reply, text, runtime.epochMs());
    }
    const isReplay = reply.headers.get("idempotency-replayed") === "true";
    return { json: JSON.parse(text), isReplay, askedAtMs };
  } catch (cause) {
    if (cause instanceof TurnpikeRequestError) {
      throw cause;
    }
    const error = new TurnpikeUnavailableError(
      abort.signal.aborted
        ? `Turnpike did not answer within ${String(Math.round(timeoutMs))} ms`
        : "Turnpike could not be reached",
      { cause },
    );
    return { error, isRetryable: true, tookNothing: isNotConnected(cause) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks the API, again after failures of the network, 502, 503, 504 and 429 with `Retry-After`, within the deadline. What may
 * have taken something is asked again only under an idempotency key.
 *
 * @returns The JSON of an answer with status 200.
 * @throws {TurnpikeUnavailableError} When no answer of Turnpike's came within the deadline and the retries.
 * @throws {TurnpikeRequestError} When Turnpike refuses the question itself, and without a service key. A redirect or a 4xx
 *   without a code of Turnpike's comes from something else at that address.
 */
export async function callApi(settings: ApiSettings, call: ApiCall): Promise<ApiReply> {
  const { runtime, deadlineMs } = settings;
  if (settings.serviceKey === "") {
    // As Turnpike would answer, with a hint where to look.
    const said = "No service key: the option `serviceKey` is empty or undefined";
    throw new TurnpikeRequestError(said, { status: 401, code: "UNAUTHENTICATED" });
  }
  const endMs = runtime.nowMs() + deadlineMs;
  for (let failures = 1; ; failures += 1) {
    const remainingMs = endMs - runtime.nowMs();
    const attempt = await attemptCall(settings, call, Math.min(settings.timeoutMs, remainingMs));
    if ("json" in attempt) {
      return attempt;
    }
    const waitMs =
      attempt.isRetryable && (call.isRepeatable || attempt.tookNothing)
        ? planRetry({
            failures,
            retriesMax: settings.retriesMax,
            retryAfterMs: attempt.error.retryAfterMs,
            remainingMs: endMs - runtime.nowMs(),
            random: runtime.random(),
          })
        : undefined;
    if (waitMs === undefined) {
      throw attempt.error;
    }
    await runtime.sleep(waitMs);
  }
}

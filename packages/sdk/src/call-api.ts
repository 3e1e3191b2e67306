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
  /** Sent with every attempt: the server answers the second as it answered the first, and takes nothing again. */
  idempotencyKey: string | undefined;
  /**
   * False for what takes something and has no idempotency key: it is asked again only after failures that surely took nothing.
   */
  isRepeatable: boolean;
};

export type ApiReply = {
  /** Unparsed. */
  json: unknown;
  /** True for the answer of an earlier question under the same idempotency key, up to a day old. */
  isReplay: boolean;
};

/** What came of one attempt. */
type Attempt =
  | ApiReply
  | { error: TurnpikeUnavailableError; isRetryable: boolean; tookNothing: boolean };

const RETRYABLE: ReadonlySet<number> = new Set([502, 503, 504]);
/** With which Node says that no connection came about, so that nothing was sent. Other platforms do not tell. */
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

function readProblem(text: string): { code: string; detail: string } {
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

/** @throws {TurnpikeRequestError} When the question is refused. */
function judgeRefusal(reply: Response, text: string, epochMs: number): Attempt {
  const { code, detail } = readProblem(text);
  const said = `Turnpike answered ${String(reply.status)}${code === "" ? "" : ` ${code}`}${detail === "" ? "" : `: ${detail}`}`;
  const retryAfter = reply.headers.get("retry-after");
  const error = new TurnpikeUnavailableError(said, {
    retryAfterMs: readRetryAfterMs(retryAfter, epochMs),
    code,
  });
  const isThrottled = reply.status === 429;
  if (reply.status >= 500 || isThrottled || isUnderWay(error)) {
    return {
      error,
      isRetryable:
        RETRYABLE.has(reply.status) || ((isThrottled || isUnderWay(error)) && retryAfter !== null),
      // Turnpike's own refusals have a code; a proxy in between does not know what happened behind it.
      tookNothing: code !== "" && (isThrottled || reply.status === 503),
    };
  }
  throw new TurnpikeRequestError(said, { status: reply.status, code });
}

/** True when the call surely never left. */
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
      // The service key must not follow a redirect to somebody else.
      redirect: "manual",
      signal: abort.signal,
    });
    const text = await reply.text();
    if (reply.status !== 200) {
      return judgeRefusal(reply, text, runtime.epochMs());
    }
    const isReplay = reply.headers.get("idempotency-replayed") === "true";
    return { json: JSON.parse(text), isReplay };
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
 * @throws {TurnpikeUnavailableError} When no answer came within the deadline and the retries.
 * @throws {TurnpikeRequestError} When the question itself is refused, and without a service key.
 */
export async function callApi(settings: ApiSettings, call: ApiCall): Promise<ApiReply> {
  const { runtime, deadlineMs } = settings;
  if (settings.serviceKey === "") {
    // What Turnpike would answer, in words that say where to look.
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

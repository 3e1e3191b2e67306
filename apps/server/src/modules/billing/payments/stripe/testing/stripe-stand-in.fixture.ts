import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readForm } from "./form.fixture.ts";
import { showAuthentication, showCheckout } from "./stand-in-pages.fixture.ts";
import { assertParameters, expand, findOperation } from "./stand-in-routes.fixture.ts";
import { ApiError, StandInState, type StoredEvent } from "./stand-in-state.fixture.ts";

/**
 * What goes wrong with a call. `After` means that Stripe has done what it was asked for: `silent` never answers, `resets` cuts
 * the connection.
 */
export type Fault =
  | "rateLimits"
  | "fails"
  | "failsAfter"
  | "silent"
  | "silentAfter"
  | "resets"
  | "resetsAfter";

export type StandInOptions = {
  mode?: "live" | "test";
  now?: () => number;
  /** Restricted keys and what they may do; every other key of the mode may do everything. */
  restricted?: Readonly<Record<string, readonly string[]>>;
};

type Recorded = { method: string; path: string; body: string; idempotencyKey: string | undefined };
type Kept = { fingerprint: string; status: number; answer: string; atMs: number };
type Endpoint = { url: string; secrets: readonly string[] };

/** Stripe keeps idempotency keys for a day. */
const KEYS_KEPT_MS = 24 * 3_600_000;
const DELIVERIES_MAX = 3;
const RANKS = 1_000_000;

/** `Stripe-Signature` by the documented scheme, one signature for each secret. */
export function signEvent(body: string, secrets: readonly string[], atMs: number): string {
  const at = Math.floor(atMs / 1000);
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", secret)
      .update(`${String(at)}.${body}`)
      .digest("hex");
    return `v1=${hmac}`;
  });
  return [`t=${String(at)}`, ...signatures].join(",");
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Stripe's HTTP API as far as the adapter uses it, as a server of its own: the official client talks to it, and browsers can go
 * through its pages. It keeps idempotency keys, refuses parameters it does not know, and fails when a test asks it to.
 */
export class StripeStandIn {
  readonly state: StandInState;
  readonly requests: Recorded[] = [];
  /** Where events go: when a test calls {@link deliver}, or as soon as they happen. */
  readonly endpoints: Endpoint[] = [];
  isDeliveringAtOnce = false;
  url = "";
  readonly #options: StandInOptions;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #faults: { fault: Fault; call: RegExp }[] = [];
  readonly #server = createServer((req, res) => {
    void this.#handle(req, res);
  });
  #delivered = 0;

  constructor(options: StandInOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.state = new StandInState({ isLive: options.mode === "live", now: this.#now });
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  /**
   * The next calls that match (method, path and idempotency key) go wrong. The client tries calls that read twice, so a fault
   * that lasts is given twice.
   */
  fail(call: RegExp, ...faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, call })));
  }

  forgetFaults(): void {
    this.#faults.length = 0;
  }

  /** Delivers every event that was not yet, once and as they happened. */
  async deliverEach(): Promise<void> {
    for (const event of this.state.events.slice(this.#delivered)) {
      this.#delivered += 1;
      await this.#send(event);
    }
  }

  /** Delivers every event that was not yet: each 0 to 3 times, all in an order by chance. */
  async deliver(below: (count: number) => number): Promise<void> {
    const waiting = this.state.events
      .slice(this.#delivered)
      .flatMap((event) =>
        Array.from({ length: below(DELIVERIES_MAX + 1) }, () => ({ event, rank: below(RANKS) })),
      )
      .sort((a, b) => a.rank - b.rank);
    this.#delivered = this.state.events.length;
    for (const { event } of waiting) {
      await this.#send(event);
    }
  }

  async #send(event: StoredEvent): Promise<void> {
    const body = JSON.stringify(event, undefined, 2);
    for (const { url, secrets } of this.endpoints) {
      await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": signEvent(body, secrets, this.#now()),
        },
        body,
      }).catch(() => undefined);
    }
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const address = new URL(req.url ?? "/", this.url);
    const body = await readText(req);
    try {
      if (address.pathname.startsWith("/v1/")) {
        this.#answerApi(req, res, { address, body });
      } else {
        this.#answerPage(req, res, { address, body });
      }
    } catch (error) {
      const refusal = error instanceof ApiError ? error : undefined;
      res.writeHead(refusal?.status ?? 500, { "content-type": "application/json" });
      const failure = { type: "api_error", message: String(error) };
      res.end(JSON.stringify({ error: refusal?.body ?? failure }));
    }
    if (this.isDeliveringAtOnce) {
      await this.deliverEach();
    }
  }

  #takeFault(call: string): Fault | undefined {
    const at = this.#faults.findIndex((each) => each.call.test(call));
    return at === -1 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
  }

  #answerApi(
    req: IncomingMessage,
    res: ServerResponse,
    { address, body }: { address: URL; body: string },
  ): void {
    const { method = "GET" } = req;
    const key = req.headers["idempotency-key"];
    const idempotencyKey = typeof key === "string" ? key : undefined;
    this.requests.push({
      method,
      path: `${address.pathname}${address.search}`,
      body,
      idempotencyKey,
    });
    const fault = this.#takeFault(`${method} ${address.pathname} ${idempotencyKey ?? ""}`);
    if (fault === "silent") {
      return;
    }
    if (fault === "resets") {
      req.socket.destroy();
      return;
    }
    const refusal =
      fault === "rateLimits"
        ? { status: 429, type: "invalid_request_error", code: "rate_limit" }
        : { status: 500, type: "api_error" };
    const { status, answer } =
      fault === "rateLimits" || fault === "fails"
        ? {
            status: refusal.status,
            answer: JSON.stringify({ error: { ...refusal, message: "Try again." } }),
          }
        : this.#doOnce(req, { address, body, idempotencyKey });
    if (fault === "silentAfter") {
      return;
    }
    if (fault === "resetsAfter") {
      req.socket.destroy();
      return;
    }
    const isFailure = fault === "failsAfter";
    res.writeHead(isFailure ? 500 : status, {
      "content-type": "application/json",
      "request-id": `req_${randomUUID().slice(0, 12)}`,
      "stripe-version": String(req.headers["stripe-version"]),
    });
    res.end(
      isFailure ? JSON.stringify({ error: { type: "api_error", message: "An error." } }) : answer,
    );
  }

  /** What was asked before with the same key is answered as it was then. */
  #doOnce(
    req: IncomingMessage,
    {
      address,
      body,
      idempotencyKey,
    }: { address: URL; body: string; idempotencyKey: string | undefined },
  ): { status: number; answer: string } {
    const { method = "GET" } = req;
    const fingerprint = `${method} ${address.pathname} ${body}`;
    const known = method === "POST" ? this.#kept.get(idempotencyKey ?? "") : undefined;
    if (known !== undefined && this.#now() - known.atMs < KEYS_KEPT_MS) {
      if (known.fingerprint !== fingerprint) {
        const message = `Keys for idempotent requests can only be used with the same parameters they were first used with.`;
        return toAnswer(new ApiError(400, { type: "idempotency_error", message }));
      }
      return known;
    }
    const done = this.#run(req, address, body);
    if (method === "POST" && idempotencyKey !== undefined) {
      this.#kept.set(idempotencyKey, { fingerprint, ...done, atMs: this.#now() });
    }
    return done;
  }

  #run(req: IncomingMessage, address: URL, body: string): { status: number; answer: string } {
    const { method = "GET" } = req;
    try {
      const { operation, id } = findOperation(method, address.pathname);
      this.#authorize(req.headers.authorization ?? "", operation.permission);
      const form = readForm(method === "POST" ? body : address.search);
      assertParameters(operation, form);
      const answer = operation.run({ state: this.state, id, form, url: this.url });
      return { status: 200, answer: JSON.stringify(expand(this.state, answer, form)) };
    } catch (error) {
      return toAnswer(error);
    }
  }

  #authorize(header: string, permission: string): void {
    const key = header.replace(/^Bearer /, "");
    const hidden = `${key.slice(0, 8)}*********************${key.slice(-4)}`;
    if (!new RegExp(`^(sk|rk)_${this.#options.mode ?? "test"}_`).test(key)) {
      throw new ApiError(401, { message: `Invalid API Key provided: ${hidden}` });
    }
    const allowed = this.#options.restricted?.[key];
    const isAllowed =
      allowed === undefined ||
      allowed.includes(permission) ||
      allowed.includes(permission.replace(/_read$/, "_write"));
    if (!isAllowed) {
      const message = `The provided key '${hidden}' does not have the required permissions for this endpoint on account 'acct_standin'. Having the 'rak_${permission}' permission would allow this request to continue.`;
      throw new ApiError(403, { message });
    }
  }

  #answerPage(
    req: IncomingMessage,
    res: ServerResponse,
    { address, body }: { address: URL; body: string },
  ): void {
    const [, name, id = ""] = address.pathname.split("/");
    const form = req.method === "POST" ? readForm(body) : undefined;
    const answer =
      name === "checkout"
        ? showCheckout(this.state, id, form)
        : showAuthentication(this.state, id, form);
    if ("location" in answer) {
      res.writeHead(303, { location: answer.location });
      res.end();
      return;
    }
    res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    res.end(answer.html);
  }
}

function toAnswer(error: unknown): { status: number; answer: string } {
  if (error instanceof ApiError) {
    return { status: error.status, answer: JSON.stringify({ error: error.body }) };
  }
  throw error;
}

/** Opens a stand-in on a free port of this machine. */
export async function openStripeStandIn(options: StandInOptions = {}): Promise<StripeStandIn> {
  return await new StripeStandIn(options).open();
}

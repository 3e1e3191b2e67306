import type { Stripe } from "stripe";
import { ProviderDown, ProviderMisconfigured } from "../payment-provider.ts";
import { describeRefusedPermission } from "./stripe-permissions.ts";
import type { StripeSettings } from "./stripe-settings.ts";

/** The version whose fields this adapter reads, in place of the version of the account. */
export const STRIPE_API_VERSION = "2026-10-28.endive";

const TIMEOUT_MS = 20_000;
/** Further tries of calls that read, and of those that may be made twice. */
const RETRIES = 1;
/**
 * For calls that move money: no further try, so that a connection that was never made is known as such. Only one that was closed
 * is tried once more by the client in any case, with the same idempotency key.
 */
export const ONCE = { maxNetworkRetries: 0 } as const;

/** Stripe may or may not have done what it was asked for. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** A refusal that says something of the payment, not of the connection or the key. */
export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeError>;

/** Of a connection that was never made: nothing can have arrived. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** True for errors of the official client. It is loaded only where Stripe is configured, so that its classes are not at hand. */
export function isStripeRefusal(error: unknown): error is StripeRefusal {
  return (
    error instanceof Error &&
    "type" in error &&
    typeof error.type === "string" &&
    error.type.startsWith("Stripe")
  );
}

function describe(refusal: StripeRefusal): string {
  return refusal.requestId === undefined ? "" : ` (${refusal.requestId})`;
}

/** The errors of the client as those of the port. Texts of Stripe that could repeat a key are not passed on. */
function toPortError(error: unknown, environment: string): unknown {
  if (!isStripeRefusal(error)) {
    return error;
  }
  switch (error.type) {
    case "StripePermissionError":
      return new ProviderMisconfigured(
        `Stripe, ${environment}: ${describeRefusedPermission(error.message)}`,
      );
    case "StripeAuthenticationError":
      return new ProviderMisconfigured(
        `Stripe, ${environment}: the key is not valid. Was it rolled or deleted?${describe(error)}`,
      );
    case "StripeRateLimitError":
      return new ProviderDown(`Stripe takes no more requests for now${describe(error)}`);
    case "StripeConnectionError": {
      const { detail } = error;
      const code = detail instanceof Error && "code" in detail ? String(detail.code) : "";
      return NOT_SENT.has(code)
        ? new ProviderDown(`Stripe cannot be reached (${code})`)
        : new NoAnswer("No answer from Stripe");
    }
    case "StripeAPIError":
    case "StripeIdempotencyError":
      return new NoAnswer(`Stripe failed${describe(error)}`);
    default:
      return error;
  }
}

/**
 * Makes one call.
 *
 * @param idempotencyKey - Of a call that moves money. When it was tried a second time, a refusal of that says nothing of the
 *   first: then nothing is known.
 */
export type AskStripe = <Answer>(
  call: (stripe: Stripe) => Promise<Answer>,
  idempotencyKey?: string,
) => Promise<Answer>;

/**
 * Opens the official client at its first use: loading it takes memory that an installation without Stripe has better use for.
 *
 * @returns What makes one call. It throws {@link ProviderDown}, {@link ProviderMisconfigured}, {@link NoAnswer}, or a
 *   {@link StripeRefusal} that says something of the payment.
 */
export function createStripeClient(settings: StripeSettings): AskStripe {
  let opened: Promise<Stripe> | undefined;
  /** How often calls under way were sent, by their keys. */
  const sent = new Map<string, number>();
  const open = async () => {
    const { default: Client } = await import("stripe");
    const { apiUrl } = settings;
    const url = apiUrl === undefined ? undefined : new URL(apiUrl);
    const client = new Client(settings.key, {
      apiVersion: STRIPE_API_VERSION,
      maxNetworkRetries: RETRIES,
      timeout: settings.timeoutMs ?? TIMEOUT_MS,
      telemetry: false,
      appInfo: { name: "Turnpike" },
      ...(url === undefined
        ? {}
        : {
            protocol: url.protocol === "http:" ? "http" : "https",
            host: url.hostname,
            port: url.port,
          }),
    });
    client.on("request", ({ idempotency_key: key }: Stripe.RequestEvent) => {
      const count = sent.get(key ?? "");
      if (key !== undefined && count !== undefined) {
        sent.set(key, count + 1);
      }
    });
    return client;
  };
  return async (call, idempotencyKey) => {
    opened ??= open();
    if (idempotencyKey !== undefined) {
      sent.set(idempotencyKey, 0);
    }
    try {
      return await call(await opened);
    } catch (error) {
      const known = toPortError(error, settings.environment);
      throw known instanceof ProviderDown && (sent.get(idempotencyKey ?? "") ?? 0) > 1
        ? new NoAnswer(known.message)
        : known;
    } finally {
      sent.delete(idempotencyKey ?? "");
    }
  };
}

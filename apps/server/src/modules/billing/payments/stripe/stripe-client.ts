import type { Stripe } from "stripe";
import { ProviderDown, ProviderMisconfigured } from "../payment-provider.ts";
import { describeRefusedPermission } from "./stripe-permissions.ts";
import type { StripeSettings } from "./stripe-settings.ts";

/** The version whose fields this adapter reads, whatever the account's own is. */
export const STRIPE_API_VERSION = "2026-10-28.endive";

const TIMEOUT_MS = 20_000;
/** Further tries of one call: each carries the same idempotency key, so that Stripe does once what it is asked twice. */
const RETRIES = 1;

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

export type AskStripe = <Answer>(call: (stripe: Stripe) => Promise<Answer>) => Promise<Answer>;

/**
 * Opens the official client at its first use: loading it takes memory that an installation without Stripe has better use for.
 *
 * @returns What makes one call. It throws {@link ProviderDown}, {@link ProviderMisconfigured}, {@link NoAnswer}, or a
 *   {@link StripeRefusal} that says something of the payment.
 */
export function createStripeClient(settings: StripeSettings): AskStripe {
  let opened: Promise<Stripe> | undefined;
  const open = async () => {
    const { default: Client } = await import("stripe");
    const { apiUrl } = settings;
    const url = apiUrl === undefined ? undefined : new URL(apiUrl);
    return new Client(settings.key, {
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
  };
  return async (call) => {
    opened ??= open();
    try {
      return await call(await opened);
    } catch (error) {
      throw toPortError(error, settings.environment);
    }
  };
}

/** What is configured of Stripe for one environment. */
export type StripeSettings = {
  environment: "live" | "test";
  /** A secret or restricted key of that environment. Never in a log or an error. */
  key: string;
  /** Of the webhook's endpoint; several while they are changed. */
  webhookSecrets: readonly string[];
  /** Tells the objects of several installations on one account at Stripe apart. */
  instance: string;
  /** Of a stand-in on this machine. Left out: Stripe itself. */
  apiUrl?: string | undefined;
  /** How long Stripe may be silent before a call is given up. Default 20 seconds. */
  timeoutMs?: number;
};

const KEY = /^(?:sk|rk)_(live|test)_[A-Za-z0-9_]{8,}$/;

/** @returns Why a key cannot be used in an environment; undefined for one that can. The key is not in the text. */
export function findKeyMistake(key: string, environment: "live" | "test"): string | undefined {
  const [, mode] = KEY.exec(key) ?? [];
  if (mode === undefined) {
    return "A secret or restricted key of Stripe begins with sk_ or rk_; restricted is safer.";
  }
  return mode === environment
    ? undefined
    : `A key of Stripe's ${mode} mode: the ${environment} environment needs one that begins with rk_${environment}_ or sk_${environment}_.`;
}

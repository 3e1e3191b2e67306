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

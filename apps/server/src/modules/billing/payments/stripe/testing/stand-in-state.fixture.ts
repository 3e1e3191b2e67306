import type { Behaviour } from "./test-cards.fixture.ts";

/** Objects as the API answers them, with the fields that the documented schemas require and the adapter reads. */
type Base = { id: string; object: string; created: number; livemode: boolean };
export type Metadata = Record<string, string>;
export type Customer = Base & { name: string | null; email: string | null; metadata: Metadata };
export type Method = Base & {
  type: string;
  customer: string | null;
  billing_details: object;
  card?: { brand: string; funding: string; last4: string; exp_month: number; exp_year: number };
  sepa_debit?: { last4: string };
};
export type Refusal = {
  type: string;
  code: string;
  message: string;
  decline_code?: string;
  advice_code?: string;
};
export type Intent = Base & {
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  payment_method: string | null;
  payment_method_types: string[];
  capture_method: "automatic_async";
  confirmation_method: "automatic";
  client_secret: string;
  description: string | null;
  metadata: Metadata;
  status: string;
  last_payment_error: (Refusal & { payment_method: Method }) | null;
  next_action: { type: string; redirect_to_url: { url: string; return_url: string } } | null;
  latest_charge: string | null;
};
export type Charge = Base & {
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  currency: string;
  payment_intent: string;
  customer: string | null;
  billing_details: object;
  captured: boolean;
  paid: boolean;
  refunded: boolean;
  disputed: boolean;
  metadata: Metadata;
  status: string;
};
export type Refund = Base & {
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  metadata: Metadata;
  status: string;
  failure_reason?: string;
};
export type Dispute = Base & {
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  balance_transactions: never[];
  evidence: object;
  evidence_details: object;
  is_charge_refundable: boolean;
  metadata: Metadata;
  reason: string;
  status: string;
};
export type Setup = Base & {
  latest_attempt: string | null;
  customer: string | null;
  payment_method: string | null;
  payment_method_types: string[];
  metadata: Metadata;
  status: string;
  usage: string;
};
export type SetupAttempt = Base & {
  application: null;
  customer: string | null;
  on_behalf_of: null;
  payment_method: string;
  payment_method_details: { type: string };
  setup_error: null;
  setup_intent: string;
  status: string;
  usage: string;
};
export type Session = Base & {
  mode: string;
  customer: string;
  currency: string;
  success_url: string;
  cancel_url: string;
  expires_at: number;
  metadata: Metadata;
  payment_method_types: string[];
  payment_status: string;
  shipping_options: never[];
  automatic_tax: { enabled: boolean; status: null };
  setup_intent: string | null;
  status: string;
  url: string | null;
};
export type StoredEvent = Base & {
  type: string;
  api_version: string;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  data: { object: { id: string } };
};

/** One account at Stripe, in one mode. */
export class StandInState {
  readonly customers = new Map<string, Customer>();
  readonly methods = new Map<string, Method>();
  readonly intents = new Map<string, Intent>();
  readonly charges = new Map<string, Charge>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly setups = new Map<string, Setup>();
  readonly setupAttempts = new Map<string, SetupAttempt>();
  readonly sessions = new Map<string, Session>();
  readonly events: StoredEvent[] = [];
  /** What each payment method does when it is charged; a test may change it between two charges. */
  readonly behaviours = new Map<string, Behaviour>();
  readonly isLive: boolean;
  readonly #now: () => number;
  #made = 0;

  constructor(options: { isLive: boolean; now: () => number }) {
    this.isLive = options.isLive;
    this.#now = options.now;
  }

  /** Ids rise, like the times at which things are made: lists are sorted by them. */
  base(prefix: string, object: string): Base {
    this.#made += 1;
    const id = `${prefix}_${this.#made.toString().padStart(16, "0")}`;
    return { id, object, created: Math.floor(this.#now() / 1000), livemode: this.isLive };
  }

  emit(type: string, object: { id: string }): void {
    this.events.push({
      ...this.base("evt", "event"),
      type,
      api_version: "2026-10-28.endive",
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      data: { object: structuredClone(object) },
    });
  }
}

/** A refusal of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(
    status: number,
    error: {
      type?: string;
      code?: string;
      message: string;
      param?: string;
      payment_intent?: object;
    },
  ) {
    super(error.message);
    this.status = status;
    this.body = { type: "invalid_request_error", ...error };
  }
}

export function find<Value>(all: ReadonlyMap<string, Value>, id: string, param = "id"): Value {
  const found = all.get(id);
  if (found === undefined) {
    throw new ApiError(404, {
      code: "resource_missing",
      message: `No such object: '${id}'`,
      param,
    });
  }
  return found;
}

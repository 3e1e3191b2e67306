/** What takes money. `manual` is the operator's own bank account: the customer transfers, the operator records or imports. */
export const PAYMENT_PROVIDERS = ["manual", "stripe"] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** How a customer pays, as screens show it. Numbers of cards never reach Turnpike. */
export type PaymentMethod = {
  /** The provider's own ids. */
  customerRef: string;
  methodRef: string;
  /** Such as `card` or `sepa_debit`. */
  type: string;
  /** Such as `visa`; null where there is none. */
  brand: string | null;
  last4: string | null;
  /** Of cards: the month and year in which they expire. */
  expiresMonth: number | null;
  expiresYear: number | null;
};

/** What the provider needs to know of one customer in one environment. */
export type PayingCustomer = {
  tenantId: string;
  environment: "live" | "test";
  name: string;
  email: string | null;
  /** Undefined until the provider knows this customer. */
  customerRef: string | undefined;
};

/** One attempt to collect. It is stored before the provider hears of it, and `attemptId` is its idempotency key there. */
export type CollectRequest = {
  attemptId: string;
  tenantId: string;
  environment: "live" | "test";
  invoiceId: string;
  invoiceNumber: string;
  /** In minor units of the currency by ISO 4217; a provider with units of its own converts them. */
  amount: bigint;
  /** ISO 4217. */
  currency: string;
  customerRef: string;
  methodRef: string;
  /** True when the customer is there and can authenticate. */
  isOnSession: boolean;
};

/** What is known of an attempt at the provider. */
export type PaymentState =
  | { state: "succeeded"; reference: string; amount: bigint; atMs: number }
  /** `reason` is the provider's code. A hard decline is never tried again with the same method. */
  | {
      state: "failed";
      reference: string | undefined;
      reason: string;
      message: string;
      isHard: boolean;
    }
  /** The customer has to authenticate on the pay page, by `clientSecret`. It is no failed attempt. */
  | { state: "action_required"; reference: string; clientSecret: string }
  /** Under way at the provider, which reports how it ends. */
  | { state: "processing"; reference: string }
  /** No answer, or none that says: the attempt is looked up later, and never sent again. */
  | { state: "unknown" };

export type RefundRequest = {
  refundId: string;
  /** The provider's id of what is refunded. */
  paymentReference: string;
  amount: bigint;
  currency: string;
};

export type RefundState =
  | { state: "succeeded" | "processing"; reference: string }
  | { state: "failed"; reason: string; message: string }
  | { state: "unknown" };

/** An event names an object that changed; what it says of it is not believed: the object is fetched. */
export type ProviderEvent = {
  /** Unique at the provider. Stored once. */
  eventId: string;
  type: string;
  /** What to fetch. */
  objectRef: string;
};

/** What an object of the provider is to us. */
export type ProviderObject =
  | {
      kind: "payment";
      attemptId: string;
      payment: PaymentState;
      refunded: bigint;
      isDisputed: boolean;
    }
  | { kind: "method"; tenantId: string; environment: "live" | "test"; method: PaymentMethod }
  | { kind: "refund"; refundId: string; refund: RefundState }
  /** Made by somebody else in the same account at the provider, or of no interest. */
  | { kind: "foreign" };

/**
 * A provider of payments. Every call has a time limit. What a provider refuses is a state; it throws only what has no state:
 * {@link ProviderDown} when it does not answer, {@link ProviderMisconfigured} when the operator has to do something.
 */
export type PaymentProvider = {
  readonly name: PaymentProviderName;
  /** Where a customer sets up how to pay: an address to send the browser to. */
  setupMethod(
    customer: PayingCustomer,
    input: { returnUrl: string; cancelUrl: string; currency: string },
  ): Promise<{ url: string; customerRef: string }>;
  /** Forgets a method, so that it cannot be charged any more. */
  removeMethod(method: Pick<PaymentMethod, "customerRef" | "methodRef">): Promise<void>;
  collect(request: CollectRequest): Promise<PaymentState>;
  /** Looks up an attempt of which no answer came. `undefined` when the provider never heard of it. */
  lookUp(request: CollectRequest): Promise<PaymentState | undefined>;
  refund(request: RefundRequest): Promise<RefundState>;
  /** Checks where an event comes from. @throws {EventRefused} For one that is not the provider's, or too old. */
  parseEvent(input: { rawBody: Uint8Array; headers: Headers; nowMs: number }): ProviderEvent;
  /** The present state of what an event is about. */
  fetch(event: Pick<ProviderEvent, "type" | "objectRef">): Promise<ProviderObject>;
};

/** The provider does not answer; what was asked for is tried later. */
export class ProviderDown extends Error {
  override readonly name = "ProviderDown";
}

/** The provider refuses what the operator has configured; the message names what is missing. */
export class ProviderMisconfigured extends Error {
  override readonly name = "ProviderMisconfigured";
}

/** An event that is not the provider's. */
export class EventRefused extends Error {
  override readonly name = "EventRefused";
}

import type { BankAccount } from "../billing-settings.ts";

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
  /** The customer is there and can authenticate: where the browser comes back to. Null otherwise. */
  onSession: { returnUrl: string } | null;
};

/**
 * Reasons of providers to charge nothing that are no refusal of the customer: nothing is dunned for them. What is too small waits for the
 * next invoice, and is charged with it; in a currency that is not taken, the customer transfers the money.
 */
export const AMOUNT_TOO_SMALL = "amount_too_small";
export const CURRENCY_NOT_SUPPORTED = "currency_not_supported";

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
  /**
   * The customer has to authenticate. It is no failed attempt. `url` is where the browser goes for it; null until the customer
   * is there and {@link PaymentProvider.authenticate} is called.
   */
  | { state: "action_required"; reference: string; url: string | null }
  /** Under way at the provider, which reports how it ends; or the customer is asked to transfer it, and it ends when the money comes. */
  | {
      state: "processing";
      reference: string;
      transfer?: { bank: BankAccount; reference: string };
    }
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

/** Money of a payment that the provider, or the customer's bank through it, gave back. */
export type ReturnedMoney = {
  /** The provider's own id of the refund or dispute. */
  reference: string;
  kind: "refund" | "dispute";
  /** Of a refund that names one of ours. */
  refundId: string | undefined;
  /** Minor units by ISO 4217, of the payment's currency. */
  amount: bigint;
  /** False for a refund that has failed, and for a dispute that has not taken the money, or has given it back. */
  isTaken: boolean;
};

/** What an object of the provider is to us. */
export type ProviderObject =
  | {
      kind: "payment";
      attemptId: string;
      payment: PaymentState;
      /** What is known of it; one that is left out is as it was. */
      returned: readonly ReturnedMoney[];
    }
  | {
      kind: "method";
      tenantId: string;
      environment: "live" | "test";
      method: PaymentMethod;
      /** When the customer set it up: a notice of an older one may come late. */
      setUpAtMs: number;
    }
  | { kind: "refund"; refundId: string; refund: RefundState }
  /** Made by another program in the same account at the provider, or of no interest. */
  | { kind: "foreign" };

/** What a customer has to do so that invoices are paid. */
export type MethodSetup =
  /** An address to send the browser to, where a method is entered. */
  | { kind: "page"; url: string; customerRef: string }
  /** Nothing is set up: each invoice is transferred to this account, with its reference. */
  | { kind: "transfer"; bank: BankAccount };

/** What a provider reports by itself. */
export type ProviderNotices = {
  /** Checks where an event comes from. @throws {EventRefused} For one that is not the provider's, or too old. */
  parseEvent(input: { rawBody: Uint8Array; headers: Headers; nowMs: number }): ProviderEvent;
  /** What happened since an instant, oldest first, for notices that never arrived. */
  listEvents(sinceMs: number): AsyncIterable<ProviderEvent>;
  /** The present state of what an event is about. */
  fetch(event: Pick<ProviderEvent, "type" | "objectRef">): Promise<ProviderObject>;
};

/**
 * A provider of payments for one environment: live and test money are two accounts there, each with keys of its own. Every call
 * has a time limit. What a provider refuses is a state; it throws only what has no state, and then nothing has happened there:
 * {@link ProviderDown} when it did not take the request, {@link ProviderMisconfigured} when the operator has to do something.
 * A payment or refund of which it is not known whether the provider took it is `unknown`. `payment-provider.suite.ts` says what each
 * provider keeps to.
 */
export type PaymentProvider = {
  readonly name: PaymentProviderName;
  setupMethod(
    customer: PayingCustomer,
    input: { returnUrl: string; cancelUrl: string; currency: string },
  ): Promise<MethodSetup>;
  /** Forgets a method, so that it cannot be charged any more. Left out: there is none to forget. */
  removeMethod?(method: Pick<PaymentMethod, "customerRef" | "methodRef">): Promise<void>;
  collect(request: CollectRequest): Promise<PaymentState>;
  /** Looks up an attempt of which no answer came. `undefined` when the provider never heard of it. */
  lookUp(request: CollectRequest): Promise<PaymentState | undefined>;
  /**
   * Begins the authentication of a payment that is `action_required`, or tells how it has ended meanwhile. Left out: no payment ever is.
   */
  authenticate?(input: {
    reference: string;
    methodRef: string;
    returnUrl: string;
  }): Promise<PaymentState>;
  /**
   * Ends a payment that has not succeeded, so that it never will: before the invoice is paid in another way.
   *
   * @returns `failed` once it is ended; `succeeded` or `processing` when it is too late for that.
   */
  cancel(reference: string): Promise<PaymentState>;
  /** Gives money back. Asking again for the same refund is asking once. */
  refund(request: RefundRequest): Promise<RefundState>;
  /** Left out: people say what happened, such as that a transfer has arrived. */
  readonly notices?: ProviderNotices;
};

/** What takes cards and debits in one installation; beside it, or alone, there are transfers to the operator's bank account. */
export type PaymentProviders = Readonly<Record<"live" | "test", PaymentProvider | undefined>>;

/** The provider does not take requests; what was asked for is tried later, with the same id. */
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

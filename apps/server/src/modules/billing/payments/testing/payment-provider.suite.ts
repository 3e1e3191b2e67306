import { expect, it } from "vitest";
import type { CollectRequest, PayingCustomer, PaymentProvider } from "../payment-provider.ts";

/** A provider with what happens outside of it: customers pay, and banks take money back. */
export type ProviderUnderTest = {
  provider: PaymentProvider;
  customer: PayingCustomer;
  /**
   * A new attempt to collect an invoice, which is stored as the product does it before it asks.
   *
   * @param waits - The customer has to do something first.
   */
  begin(waits?: boolean): Promise<CollectRequest>;
  /** The customer, or the bank, pays what was asked for, now or before. */
  pay(request: CollectRequest): Promise<void>;
  /** How often the money of an attempt was taken. */
  countTaken(request: CollectRequest): Promise<number>;
  /** Lets a refund that is on its way arrive. @returns What is known of it then. */
  finishRefund(refundId: string): Promise<string>;
  newId(): string;
};

const PAGE = { returnUrl: "https://app.test", cancelUrl: "https://app.test", currency: "USD" };

/** What each provider of payments keeps to. */
export function describeProvider(open: () => Promise<ProviderUnderTest>): void {
  const collect = async () => {
    const under = await open();
    const request = await under.begin();
    const state = await under.provider.collect(request);
    return { ...under, request, state };
  };

  it("says how a customer can pay: on a page of its own, or to which account", async () => {
    const { provider, customer } = await open();
    const setup = await provider.setupMethod(customer, PAGE);
    if (setup.kind === "page") {
      expect(new URL(setup.url).protocol).toMatch(/^https?:$/);
      const again = await provider.setupMethod(
        { ...customer, customerRef: setup.customerRef },
        PAGE,
      );
      // A customer that is known stays the same one.
      expect(again).toMatchObject({ customerRef: setup.customerRef });
    } else {
      expect(setup.bank.holder).not.toBe("");
    }
  });

  it("never heard of an attempt it was not asked for, or takes no money by being asked about it", async () => {
    const under = await open();
    const request = await under.begin();
    const found = await under.provider.lookUp(request);
    expect(found?.state ?? "processing").toBe("processing");
    expect(await under.countTaken(request)).toBe(0);
  });

  it("collects an attempt once, however often it is asked for and looked up", async () => {
    const { provider, request, state, pay, countTaken } = await collect();
    expect(["succeeded", "processing"]).toContain(state.state);
    await pay(request);
    for (const known of [await provider.lookUp(request), await provider.lookUp(request)]) {
      expect(known).toMatchObject({ state: "succeeded", amount: request.amount });
    }
    await provider.collect(request);
    expect(await countTaken(request)).toBe(1);
  });

  it("ends what waits for the customer: it takes no money", async () => {
    const { provider, begin, countTaken } = await open();
    const request = await begin(true);
    const asked = await provider.collect(request);
    expect(["action_required", "processing"]).toContain(asked.state);
    const reference = "reference" in asked ? (asked.reference ?? "") : "";
    expect(await provider.cancel(reference)).toMatchObject({ state: "failed", isHard: false });
    expect(await provider.cancel(reference)).toMatchObject({ state: "failed", isHard: false });
    expect(await countTaken(request)).toBe(0);
  });

  it("does not end what is paid", async () => {
    const { provider, request, state, pay } = await collect();
    await pay(request);
    const paid = await provider.lookUp(request);
    const reference = "reference" in state ? (state.reference ?? "") : "";
    expect(await provider.cancel(reference)).toMatchObject({
      ...{ state: "succeeded", amount: request.amount },
      reference: paid?.state === "succeeded" ? paid.reference : "none",
    });
  });

  it("gives money back once for each refund, however often it is asked", async () => {
    const { provider, request, pay, newId, finishRefund } = await collect();
    await pay(request);
    const paid = await provider.lookUp(request);
    const refundId = newId();
    const refund = {
      refundId,
      paymentReference: paid?.state === "succeeded" ? paid.reference : "",
      amount: 1_000n,
      currency: request.currency,
    };
    const first = await provider.refund(refund);
    expect(["succeeded", "processing"]).toContain(first.state);
    expect(await provider.refund(refund)).toEqual(first);
    expect(await finishRefund(refundId)).toBe("succeeded");
  });
}

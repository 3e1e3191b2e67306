import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { type Account, createAccount } from "../account/account.ts";
import { issueInvoice } from "../account/issue-invoice.ts";
import type { GrantKind } from "../invoices/grant.ts";
import { dueOf } from "../invoices/invoice.ts";
import { sumCharges } from "../limits/spend.ts";
import { DUNNING_DEFAULT } from "../payments/dunning.ts";
import { applyMoney, takeMoneyBack } from "../payments/move-money.ts";
import { createLine } from "../rating/line.ts";
import { doStep } from "../steps/do-step.ts";
import { StepRefused } from "../steps/step.ts";
import { recordStates } from "./advance.ts";
import { revokeCredit } from "./revoke-credit.ts";
import { issueTopUp } from "./top-up.ts";

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1000;
const RATE = {
  ...{ country: "DE", region: undefined, taxClass: "standard", category: "S", name: undefined },
  ...{ rate: 19n * 10n ** 12n, fromMs: undefined, toMs: undefined },
};

function makeAccount(): Account {
  return createAccount(
    {
      currency: findCurrency("EUR") ?? { code: "EUR", digits: 2 },
      seller: { country: "DE", isRegistered: true, pricesInclude: "net", taxRates: [RATE] },
      catalog: { meters: new Map(), plans: new Map() },
      proration: "time",
      dunning: DUNNING_DEFAULT,
    },
    {
      ...{ country: "DE", region: undefined, taxId: undefined, taxIdStatus: undefined },
      isExempt: false,
    },
  );
}

/** What can happen to credit, at the same instant as `atMs`. */
type Step = (account: Account, atMs: number) => Account;

const charge =
  (amount: bigint): Step =>
  (account, atMs) =>
    issueInvoice(
      account,
      [
        createLine({
          ...{ kind: "adjustment", owner: undefined, span: { fromMs: atMs, toMs: atMs } },
          ...{ quantity: undefined, amount, taxClass: "standard" },
        }),
      ],
      atMs,
    );

const grant =
  (kind: GrantKind, amount: string, days?: number): Step =>
  (account, atMs) => {
    const expiresAt = days === undefined ? undefined : new Date(atMs + days * DAY_MS).toISOString();
    return doStep(account, { members: { do: "grant", kind, amount, expiresAt }, atMs });
  };

const buy =
  (amount: bigint, isTaxed = false): Step =>
  (account, atMs) =>
    issueTopUp(
      account,
      { amount, label: "Credit", key: `top-up ${String(account.invoices.length)}`, isTaxed },
      atMs,
    );

const pay =
  (invoice: number, amount?: bigint): Step =>
  (account) => {
    const paid = account.invoices[invoice];
    return paid === undefined
      ? account
      : applyMoney(account, { amount: amount ?? dueOf(paid), invoices: [invoice] }).after;
  };

const refund =
  (invoice: number, amount: bigint): Step =>
  (account) =>
    takeMoneyBack(account, {
      amount,
      shares: [{ invoice, amount: account.invoices[invoice]?.paid ?? 0n }],
      others: [],
    }).after;

const voided =
  (invoice: number): Step =>
  (account, atMs) =>
    doStep(account, { members: { do: "void", invoice }, atMs });

const noted =
  (invoice: number, amount: string): Step =>
  (account, atMs) =>
    doStep(account, { members: { do: "creditNote", invoice, amount }, atMs });

/** Does steps, a day apart, as every change of an account does. */
function play(steps: readonly Step[]): Account {
  return steps.reduce((account, step, day) => {
    const atMs = START_MS + day * DAY_MS;
    return recordStates(step(account, atMs), atMs);
  }, makeAccount());
}

function read({ credit }: Account) {
  return {
    left: credit.grants.map(({ left }) => left),
    entries: credit.entries.map(({ kind, amount }) => `${kind} ${String(amount)}`),
  };
}

describe("credit that is bought", () => {
  it("is there once all of it is paid, and once only", () => {
    expect(read(play([buy(100n), pay(0, 60n)])).left).toEqual([]);
    expect(read(play([buy(100n), pay(0, 60n), pay(0, 50n), pay(0, 10n)]))).toEqual({
      left: [100n],
      entries: ["granted 100"],
    });
  });

  it("lowers later invoices before the tax when it was taxed, and pays them after it otherwise", () => {
    const taxed = play([buy(100n, true), pay(0), charge(80n)]);
    expect(taxed.invoices.map(({ total }) => total)).toEqual([119n, 0n]);
    const untaxed = play([buy(100n), pay(0), charge(80n)]);
    expect(untaxed.invoices.map(({ total, prepaid }) => [total, prepaid])).toEqual([
      [100n, 0n],
      [95n, 95n],
    ]);
    expect([read(taxed).left, read(untaxed).left]).toEqual([[20n], [5n]]);
  });

  it("goes when its invoice is due again, as far as it is left, and comes back when that is paid", () => {
    const refunded = [buy(100n), pay(0), charge(50n), refund(0, 100n)];
    expect(read(play(refunded)).left).toEqual([0n]);
    // 60 were used: paying again buys the 40 that were taken back, and not 100.
    expect(read(play([...refunded, pay(0)]))).toEqual({
      left: [0n, 40n],
      entries: ["granted 100", "burned -60", "revoked -40", "granted 40"],
    });
  });

  it("is not spent by being bought: a spend cap counts what it pays for", () => {
    const { invoices } = play([buy(100n), pay(0), charge(30n)]);
    const period = { fromMs: START_MS, toMs: START_MS + 30 * DAY_MS };
    expect(
      sumCharges(
        invoices.flatMap(({ lines }) => lines),
        period,
      ),
    ).toBe(30n);
  });

  it("is taken back by a credit note, no more than is left of it", () => {
    expect(read(play([buy(100n), pay(0), noted(0, "0.30")])).left).toEqual([70n]);
    const spent = [buy(100n), pay(0), charge(50n)];
    expect(() => play([...spent, noted(0, "0.41")])).toThrow(StepRefused);
    const taken = play([...spent, noted(0, "0.40")]);
    expect([read(taken).left, taken.balance]).toEqual([[0n], 40n]);
  });

  it("is nothing when its invoice is void, or credited before it is paid", () => {
    expect(read(play([buy(100n), voided(0), pay(0, 100n)])).left).toEqual([]);
    expect(read(play([buy(100n), noted(0, "1.00")])).left).toEqual([]);
    expect(read(play([buy(100n), noted(0, "0.40"), pay(0)])).left).toEqual([60n]);
  });
});

describe("credit that is granted", () => {
  it("expires at its instant, also what a void invoice gives back later", () => {
    const steps = [grant("promotional", "1", 2), charge(30n), charge(0n), voided(0)];
    expect(read(play(steps)).entries).toEqual([
      ...["granted 100", "burned -30", "expired -70", "returned 30", "expired -30"],
    ]);
  });

  it("is taken back as far as it is left; what was bought is not", () => {
    const revoke: Step = (account, atMs) => revokeCredit(account, { grant: 0, atMs });
    expect(read(play([grant("prepaid", "1"), charge(50n), revoke])).left).toEqual([0n]);
    expect(() => play([grant("prepaid", "1"), revoke, revoke])).toThrow(StepRefused);
    expect(() => play([buy(100n), pay(0), revoke])).toThrow(StepRefused);
  });
});

const cents = fc.bigInt({ min: 1n, max: 300n });
const place = fc.nat(12);
const anyStep = fc.oneof(
  cents.map(charge),
  fc
    .tuple(fc.constantFrom<GrantKind>("promotional", "prepaid"), fc.integer({ min: 1, max: 9 }))
    .chain(([kind, amount]) =>
      fc
        .option(fc.integer({ min: 1, max: 8 }), { nil: undefined })
        .map((days) => grant(kind, String(amount), days)),
    ),
  fc.tuple(cents, fc.boolean()).map(([amount, isTaxed]) => buy(amount, isTaxed)),
  fc.tuple(place, fc.option(cents, { nil: undefined })).map(([at, amount]) => pay(at, amount)),
  fc.tuple(place, cents).map(([at, amount]) => refund(at, amount)),
  place.map(voided),
  fc.tuple(place, fc.integer({ min: 1, max: 9 })).map(([at, tenths]) => noted(at, `0.${tenths}0`)),
  place.map(
    (at): Step =>
      (account, atMs) =>
        revokeCredit(account, { grant: at, atMs }),
  ),
);

/** A step that is refused changes nothing. */
function unlessRefused(step: Step): Step {
  return (account, atMs) => {
    try {
      return step(account, atMs);
    } catch (error) {
      if (error instanceof StepRefused) {
        return account;
      }
      throw error;
    }
  };
}

describe("any history of credit", () => {
  it("leaves of each grant the sum of its entries, and burns what invoices say", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const { credit, invoices } = play(steps.map(unlessRefused));
        const sumOf = (of: (entry: (typeof credit.entries)[number]) => boolean) =>
          credit.entries.filter(of).reduce((sum, { amount }) => sum + amount, 0n);
        for (const [index, { left, granted }] of credit.grants.entries()) {
          expect(left).toBe(sumOf(({ grant: of }) => of === index));
          expect(left >= 0n && left <= granted).toBe(true);
        }
        for (const [index, { burns, isVoid, topUp, lines }] of invoices.entries()) {
          const burned = burns.reduce((sum, { amount }) => sum + amount, 0n);
          const ofInvoice = (kinds: readonly string[]) =>
            sumOf(({ kind, invoice }) => invoice === index && kinds.includes(kind));
          expect(-ofInvoice(["burned", "returned"])).toBe(isVoid ? 0n : burned);
          const bought = ofInvoice(["granted", "revoked"]);
          expect(
            bought >= 0n && bought <= (topUp === undefined ? 0n : (lines[0]?.amount ?? 0n)),
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

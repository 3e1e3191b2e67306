import {
  formatReference,
  toCreditorReference,
} from "@turnpike/domain/billing/payments/check-digits";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTenant } from "#modules/tenants/index.ts";
import { getSubscription } from "../../subscriptions/get-subscription.ts";
import { openPayments, type Payments } from "../testing/payments.fixture.ts";
import { importStatement, previewStatement } from "./import-statement.ts";
import {
  ignoreStatementLine,
  listStatementLines,
  matchCertainLines,
  matchStatementLine,
  reopenStatementLine,
} from "./match-lines.ts";

let payments: Payments;
beforeAll(async () => {
  payments = await openPayments();
});
afterAll(async () => {
  expect(await payments.findings()).toEqual([]);
  await payments.close();
});

type Row = { amount: string; payer?: string; purpose?: string; id?: string; currency?: string };

const toCsv = (rows: readonly Row[]) =>
  [
    "Date;Amount;Currency;Payer;Purpose;Bank reference",
    ...rows.map(({ amount, payer = "", purpose = "", id = "", currency = "USD" }) =>
      ["26.11.2026", amount, currency, payer, purpose, id].join(";"),
    ),
  ].join("\n");

const load = (name: string, rows: readonly Row[]) =>
  importStatement(payments.deps, OPERATOR_CONTEXT, { name, content: toCsv(rows) });

/** Open lines of a statement, by what was written. */
async function openLines(statement: string) {
  const { items } = await listStatementLines(payments.deps, OPERATOR_CONTEXT, {
    state: "open",
    limit: 100,
  });
  return items.filter((line) => line.statement === statement);
}

const referenceOf = ({ number }: { number: string }) =>
  formatReference(toCreditorReference(number));

describe("a statement", () => {
  it("counts each line once, in any number of files, and two alike as two", async () => {
    const rows = [
      { amount: "10", payer: "Ada", id: "B-1" },
      { amount: "10", payer: "Ada" },
      { amount: "10", payer: "Ada" },
    ];
    const preview = await previewStatement(payments.deps, OPERATOR_CONTEXT, {
      name: "once",
      content: toCsv(rows),
    });
    expect(preview).toMatchObject({ count: 3, fresh: 3, problems: [] });
    expect(await load("once", rows)).toMatchObject({ count: 3, fresh: 3 });
    expect(await load("again", rows)).toMatchObject({ statementId: null, fresh: 0 });
    const more = [...rows, { amount: "10", payer: "Ada" }];
    const both = await Promise.all([load("more", more), load("more", more)]);
    expect(both.reduce((sum, { fresh }) => sum + fresh, 0)).toBe(1);
  });

  it("of which nothing can be read is refused with the reason", async () => {
    const input = { name: "none", content: "hello" };
    expect(await refusalOf(importStatement(payments.deps, OPERATOR_CONTEXT, input))).toMatchObject({
      code: "INVALID_REQUEST",
    });
  });
});

describe("lines", () => {
  it("for a tenant that is deleted stays open, and the others are matched", async () => {
    const gone = await payments.subscribe("Gone");
    const there = await payments.subscribe("There");
    const { tenantId } = gone;
    await deleteTenant(payments.services, OPERATOR_CONTEXT, { tenantId, name: "Gone" });
    await load("deleted", [
      { amount: "300,00", purpose: referenceOf(there), id: "D-1" },
      { amount: "300,00", purpose: referenceOf(gone), id: "D-2" },
    ]);
    expect(await matchCertainLines(payments.deps, OPERATOR_CONTEXT)).toMatchObject({ matched: 1 });
    expect(await payments.read(there)).toMatchObject({ state: "paid" });
    const waiting = await openLines("deleted");
    expect(waiting.map(({ bankReference }) => bankReference)).toEqual(["D-2"]);
    await ignoreStatementLine(payments.deps, OPERATOR_CONTEXT, {
      lineId: waiting[0]?.lineId ?? "",
      reason: "Sent back.",
    });
  });

  it("that are certain are matched together: by a right reference, up to what is due", async () => {
    const [whole, part, over] = [
      await payments.subscribe("Whole"),
      await payments.subscribe("Part"),
      await payments.subscribe("Over"),
    ];
    await load("certain", [
      { amount: "300,00", purpose: `Invoice ${referenceOf(whole)}`, id: "C-1" },
      // The same invoice a second time: by then nothing is due.
      { amount: "300,00", purpose: referenceOf(whole), id: "C-2" },
      { amount: "120,00", purpose: referenceOf(part).toLowerCase(), id: "C-3" },
      { amount: "500,00", purpose: referenceOf(over), id: "C-4" },
      { amount: "300,00", purpose: referenceOf(whole), currency: "EUR", id: "C-5" },
    ]);
    const matched = await Promise.all(
      [1, 2].map(() => matchCertainLines(payments.deps, OPERATOR_CONTEXT)),
    );
    expect(matched.reduce((sum, each) => sum + each.matched, 0)).toBe(2);
    expect(await payments.read(whole)).toMatchObject({ state: "paid", paid: "300.00" });
    expect(await payments.read(part)).toMatchObject({ state: "open", due: "180.00" });
    expect(await payments.read(over)).toMatchObject({ state: "open", due: "300.00" });
    const waiting = await openLines("certain");
    // Of the two for one invoice either may come first.
    expect(waiting.map(({ bankReference }) => bankReference).sort()).toEqual([
      expect.stringMatching(/^C-[12]$/),
      "C-4",
      "C-5",
    ]);
  });

  it("are proposed by number, and by amount and name, for a person to confirm", async () => {
    const acme = await payments.subscribe("Zephyr Analytics");
    await load("proposed", [
      { amount: "300", purpose: `payment of ${acme.number}`, id: "P-1" },
      { amount: "300", payer: "ZEPHYR ANALYTICS LTD", id: "P-2" },
      { amount: "-20", payer: "Power company", id: "P-3" },
    ]);
    const lines = new Map((await openLines("proposed")).map((line) => [line.bankReference, line]));
    const [byNumber, byName, left] = ["P-1", "P-2", "P-3"].map(
      (id) => lines.get(id) ?? expect.fail(id),
    );
    expect(byNumber?.proposals[0]).toMatchObject({
      invoiceId: acme.invoiceId,
      basis: "number",
      isCertain: false,
    });
    expect(byName?.proposals[0]).toMatchObject({
      invoiceId: acme.invoiceId,
      basis: "amount_and_name",
    });
    expect(left?.proposals).toEqual([]);
    const { lineId } = byName ?? expect.fail();
    const input = { lineId, invoiceIds: [acme.invoiceId] };
    const twice = await Promise.allSettled(
      [1, 2].map(() => matchStatementLine(payments.deps, OPERATOR_CONTEXT, input)),
    );
    expect(twice.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await payments.read(acme)).toMatchObject({ state: "paid", paid: "300.00" });
    // What left the account pays nothing, and is set aside and looked at again.
    const paid = { lineId: left?.lineId ?? "", tenantId: acme.tenantId };
    const match = matchStatementLine(payments.deps, OPERATOR_CONTEXT, paid);
    expect(await refusalOf(match)).toMatchObject({ code: "CONFLICT" });
    const ignored = await ignoreStatementLine(payments.deps, OPERATOR_CONTEXT, {
      lineId: paid.lineId,
      reason: "Power.",
    });
    expect(ignored).toMatchObject({ state: "ignored", note: "Power." });
    const reopened = await reopenStatementLine(payments.deps, OPERATOR_CONTEXT, paid);
    expect(reopened.state).toBe("open");
  });

  it("of a tenant pay its open invoices, and the rest is balance", async () => {
    const acme = await payments.subscribe("Tenant");
    await load("tenant", [{ amount: "450", id: "T-1" }]);
    const [line] = await openLines("tenant");
    const { paymentId } = await matchStatementLine(payments.deps, OPERATOR_CONTEXT, {
      lineId: line?.lineId ?? "",
      tenantId: acme.tenantId,
    });
    expect(paymentId).toMatch(/^pay_/);
    const of = { tenantId: acme.tenantId, environment: "live" as const };
    expect(await payments.read(acme)).toMatchObject({ state: "paid" });
    expect((await getSubscription(payments.deps, OPERATOR_CONTEXT, of)).balance).toBe("150.00");
  });

  it("in another currency than the customer's, or of two customers, are refused and stay", async () => {
    const [acme, other] = [await payments.subscribe("Mine"), await payments.subscribe("Yours")];
    await load("refused", [{ amount: "300", currency: "EUR", id: "R-1" }]);
    const [line] = await openLines("refused");
    const lineId = line?.lineId ?? "";
    const attempts = [
      { lineId, tenantId: acme.tenantId },
      { lineId, invoiceIds: [acme.invoiceId, other.invoiceId] },
    ];
    for (const input of attempts) {
      const match = matchStatementLine(payments.deps, OPERATOR_CONTEXT, input);
      expect(await refusalOf(match)).toMatchObject({ code: "CONFLICT" });
    }
    expect(await openLines("refused")).toHaveLength(1);
  });
});

import { catalogInput } from "@turnpike/contract/catalog";
import { coupon, couponInput } from "@turnpike/contract/coupons";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyCatalog } from "../apply-catalog.ts";
import { exportCatalog } from "../export-catalog.ts";
import { findUnapplied } from "../find-unapplied.ts";
import { findCoupon } from "./coupons.store.ts";
import { archiveCoupon, createCoupon, listCoupons } from "./manage-coupons.ts";

let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

const LAUNCH = {
  couponId: "launch",
  name: "Launch",
  percent: "12.50",
  periods: 3,
  cards: ["base"],
  redeemBy: "2027-01-31T00:00:00Z",
  maxRedemptions: 100,
};
const FIVE = { couponId: "five", name: "Five off", amount: "5", currency: "EUR" };

const create = (input: Record<string, unknown>) =>
  createCoupon(services, OPERATOR_CONTEXT, couponInput.parse(input));
const toCatalog = (...coupons: Record<string, unknown>[]) =>
  catalogInput.parse({ plans: [{ planId: "free", name: "Free" }], coupons });
const apply = (...coupons: Record<string, unknown>[]) =>
  applyCatalog(services, OPERATOR_CONTEXT, toCatalog(...coupons));

describe("a coupon", () => {
  it("is created once, listed, and archived for good", async () => {
    const made = await create(LAUNCH);
    expect(coupon.parse(made)).toEqual({
      ...LAUNCH,
      percent: "12.5",
      redeemBy: "2027-01-31T00:00:00.000Z",
      createdAt: made.createdAt,
      archivedAt: null,
    });
    expect((await refusalOf(create(LAUNCH))).code).toBe("ALREADY_EXISTS");
    services.clock.advance(1_000);
    await create(FIVE);
    const archive = () => archiveCoupon(services, OPERATOR_CONTEXT, { couponId: "launch" });
    const archived = await archive();
    services.clock.advance(1_000);
    expect(await archive()).toEqual(archived);
    const { items } = await listCoupons(services, OPERATOR_CONTEXT);
    expect(items.map(({ couponId, archivedAt }) => [couponId, archivedAt !== null])).toEqual([
      ["five", false],
      ["launch", true],
    ]);
    const found = await services.transact.asOperator((tx) => findCoupon(tx, "launch"));
    expect(found).toMatchObject({ percent: "12.5", archivedAt: expect.any(Date) });
  });

  it("of a file is created, and what it gives never changes", async () => {
    expect((await apply(LAUNCH, FIVE)).changedCoupons).toEqual(["launch", "five"]);
    expect((await apply(FIVE, LAUNCH)).changedCoupons).toEqual([]);
    const later = { ...LAUNCH, name: "Launch 2", redeemBy: "2028-01-31T01:00:00+01:00" };
    expect((await apply(later)).changedCoupons).toEqual(["launch"]);
    const refusal = await refusalOf(apply(FIVE, { ...later, percent: "20" }));
    expect(refusal).toMatchObject({
      code: "INVALID_REQUEST",
      errors: [{ pointer: "/coupons/1/percent" }],
    });
    await expect(
      database.sql`update coupons set amount = 6 where coupon_id = 'five'`,
    ).rejects.toThrow("never changes");
  });

  it("is exported as it is applied, unless it is archived", async () => {
    await apply(LAUNCH, FIVE);
    const exported = await exportCatalog(services, OPERATOR_CONTEXT);
    expect(exported.coupons?.map(({ couponId }) => couponId)).toEqual(["five", "launch"]);
    const again = await applyCatalog(services, OPERATOR_CONTEXT, catalogInput.parse(exported));
    expect(again.changedCoupons).toEqual([]);
    await archiveCoupon(services, OPERATOR_CONTEXT, { couponId: "five" });
    const rest = await exportCatalog(services, OPERATOR_CONTEXT);
    expect(rest.coupons?.map(({ couponId }) => couponId)).toEqual(["launch"]);
  });

  it("that is not applied is named", async () => {
    await apply(FIVE);
    expect(await findUnapplied(services, toCatalog(FIVE, LAUNCH))).toEqual({
      differing: ["coupon launch"],
      faults: [],
    });
  });

  it("needs catalog:write", async () => {
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["catalog:read"] });
    const refusals = [
      refusalOf(createCoupon(services, reader, couponInput.parse(FIVE))),
      refusalOf(archiveCoupon(services, reader, { couponId: "five" })),
    ];
    for (const refusal of refusals) {
      expect((await refusal).code).toBe("INSUFFICIENT_SCOPE");
    }
    expect((await listCoupons(services, reader)).items).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["neither percent nor amount", { percent: undefined }, "percent"],
    ["both", { amount: "5", currency: "EUR" }, "percent"],
    ["an amount without a currency", { percent: undefined, amount: "5" }, "currency"],
    ["a currency without an amount", { currency: "EUR" }, "currency"],
    ["half a yen", { percent: undefined, amount: "0.5", currency: "JPY" }, "amount"],
    ["more than everything", { percent: "100.1" }, "percent"],
    ["nothing", { percent: "0.0" }, "percent"],
    ["a card twice", { cards: ["base", "base"] }, "cards"],
  ])("is refused with %s", (_what, change, pointer) => {
    const parsed = couponInput.safeParse({ ...LAUNCH, ...change });
    expect(parsed.error?.issues.map(({ path }) => path.join("/"))).toEqual([pointer]);
  });
});

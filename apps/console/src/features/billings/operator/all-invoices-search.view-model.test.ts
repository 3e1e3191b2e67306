import { describe, expect, it } from "vitest";
import {
  hasFilters,
  parseBillingsAddress,
  toFilters,
  toInvoiceQuery,
  toListAddress,
} from "./all-invoices-search.view-model.ts";

describe("the address of /billings", () => {
  it("of a tenant's own page knows nothing of all tenants", () => {
    expect(parseBillingsAddress({ state: "open", status: "open", owner: "ten_1" })).toEqual({
      state: "open",
    });
  });

  it("of all invoices keeps filters, page and what is open, and drops the rest", () => {
    const address = {
      view: "all",
      status: "overdue",
      currency: "EUR",
      q: 404,
      from: "2026-11-01",
      to: "2026-11-30",
      cursor: "abc",
      invoice: "inv_1",
      owner: "ten_1",
      line: 2,
      state: "open",
      other: "x",
    };
    const search = parseBillingsAddress(address);
    const { other: _, ...kept } = address;
    expect(search).toEqual({ ...kept, q: "404" });
    expect(toFilters(search)).toEqual({
      status: "overdue",
      currency: "EUR",
      q: "404",
      from: "2026-11-01",
      to: "2026-11-30",
    });
    expect(toListAddress(search)).toEqual({ view: "all", ...toFilters(search), cursor: "abc" });
  });

  it("knows the states of one tenant's list only where a tenant is open", () => {
    expect(parseBillingsAddress({ view: "all", state: "open" })).toEqual({ view: "all" });
    expect(parseBillingsAddress({ view: "all", owner: "ten_1", state: "open" })).toEqual({
      view: "all",
      owner: "ten_1",
      state: "open",
    });
  });

  it("drops filters that are none", () => {
    const search = parseBillingsAddress({
      view: "all",
      status: "late",
      currency: "euro",
      from: "November",
      q: "x".repeat(101),
    });
    expect(search).toEqual({ view: "all" });
    expect(hasFilters(search)).toBe(false);
  });
});

describe("toInvoiceQuery", () => {
  it("asks for the whole last day, and for what is overdue apart from the state", () => {
    expect(toInvoiceQuery({ status: "overdue", from: "2026-11-01", to: "2026-11-30" })).toEqual({
      isOverdue: "true",
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
    });
    expect(toInvoiceQuery({ status: "uncollectible", q: "acme", currency: "EUR" })).toEqual({
      state: "uncollectible",
      search: "acme",
      currency: "EUR",
    });
  });
});

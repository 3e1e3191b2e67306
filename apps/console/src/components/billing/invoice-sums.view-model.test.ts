import { describe, expect, it } from "vitest";
import { toSumRows } from "./invoice-sums.view-model.ts";

const SUMS = {
  currency: "EUR",
  net: "100.00",
  taxes: [],
  total: "100.00",
  fromBalance: "0.00",
  prepaid: "0.00",
  due: "100.00",
};
const write = (...input: Parameters<typeof toSumRows>) =>
  toSumRows(...input).map(({ label, amount }) => `${label}: ${amount}`);

describe("toSumRows", () => {
  it("shows total and due alone when nothing lies between them", () => {
    expect(write(SUMS, "Due so far")).toEqual(["Total: €100.00", "Due so far: €100.00"]);
  });

  it("shows every tax by its name and rate, and everything that lowers what is due", () => {
    const taxes = [
      { category: "S", rate: "19", name: "VAT", base: "100.00", amount: "19.00" },
      { category: "AE", rate: "0", name: null, base: "0.00", amount: "0.00" },
      { category: "O", rate: "0", name: null, base: "0.00", amount: "0.00" },
    ];
    const less = { fromBalance: "9.00", prepaid: "10.00", credited: "20.00", paid: "30.00" };
    const moved = { ...less, toBalance: "4.00" };
    expect(write({ ...SUMS, taxes, total: "119.00", ...moved, due: "54.00" })).toEqual([
      "Net: €100.00",
      "VAT 19%: €19.00",
      "Reverse charge: €0.00",
      "Total: €119.00",
      "From your balance: -€9.00",
      "From prepaid credit: -€10.00",
      "Credit notes: -€20.00",
      "Paid: -€30.00",
      "Back to the balance: €4.00",
      "Due: €54.00",
    ]);
  });

  it("says which tax a gross total holds, beneath it", () => {
    const taxes = [{ category: "S", rate: "19", name: "VAT", base: "84.03", amount: "15.97" }];
    const lines = [{ amount: "119.00" }, { amount: "-19.00" }];
    expect(write({ ...SUMS, lines, taxes, net: "84.03" })).toEqual([
      "Total: €100.00",
      "Net of that: €84.03",
      "VAT 19%, included: €15.97",
      "Due: €100.00",
    ]);
  });
});

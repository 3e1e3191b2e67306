import { expect, it } from "vitest";
import { readDraftsReport } from "./drafts.queries.ts";

const TENANTS = ["1", "2", "3"].map((end) => `ten_0199f3b0c1d27a4e8f6011223344556${end}`);
const rows = TENANTS.map((tenantId) => ({
  ...{ kind: "subscriber", planId: "pro", planName: "Pro", tenantId, tenantName: "T" },
  ...{ planVersion: 1, currency: "USD", from: null, to: null, isWhole: true, fault: null },
  ...{ before: "1.00", after: "2.00", difference: "1.00" },
}));

it("goes on after the last row where an answer breaks off, and counts each once", async () => {
  const asked: (string | undefined)[] = [];
  async function* ask(after: string | undefined) {
    asked.push(after);
    const from = after === undefined ? 0 : TENANTS.indexOf(after.slice("pro.".length)) + 1;
    yield { kind: "fault", planId: "a", planName: "A", fault: "No fee." };
    yield* rows.slice(from, from + 2);
    if (from + 2 < rows.length) {
      throw new Error("broken off");
    }
    yield { kind: "end", plans: 2 };
  }
  const { subscribers, faults, sums } = await readDraftsReport(ask);
  expect(asked).toEqual([undefined, `pro.${TENANTS[1] ?? ""}`]);
  expect([subscribers, faults.length, sums.get("USD")?.more]).toEqual([3, 1, 3]);

  const silent = readDraftsReport(async function* () {
    yield rows[0];
  });
  await expect(silent).rejects.toThrow("broke off");
});

import { z } from "zod";

const MEGABYTES_MAX = 1_000_000_000;

function amount(min: number, unit: string) {
  const expected = `A whole number of ${unit} from ${String(min)}.`;
  return z.int(expected).min(min, expected).max(MEGABYTES_MAX, expected);
}

/** How much tenants may store. The ledger is not bounded by any of it. */
export const storageSection = z
  .strictObject({
    reserveMegabytes: amount(0, "megabytes")
      .default(1_024)
      .describe(
        "Free megabytes on the disk of the data folder below which nothing more is stored for tenants (507), so that the ledger goes on. 0: no reserve.",
      ),
    filesMegabytes: amount(1, "megabytes")
      .default(20_000)
      .describe("Megabytes of uploaded files, of all tenants together."),
    documentsMegabytes: amount(1, "megabytes")
      .default(10_000)
      .describe("Megabytes of documents, of all tenants together."),
    tenantFilesMegabytes: amount(1, "megabytes")
      .default(1_000)
      .describe("Megabytes of uploaded files of one tenant."),
    tenantDocumentsMegabytes: amount(1, "megabytes")
      .default(100)
      .describe("Megabytes of documents of one tenant."),
    tenantChangesPerDay: amount(1, "changes")
      .default(20_000)
      .describe(
        "Changes of one tenant within 24 hours: each is an entry in its audit trail, which is kept for good.",
      ),
  })
  .prefault({});

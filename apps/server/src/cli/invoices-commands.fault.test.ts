import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandLine, createCommandLine } from "@turnpike/testkit/command-line";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addAdjustment, createCreditNote, listInvoices } from "#modules/billing/index.ts";
import {
  act,
  publishPricedPlans,
  toBillingDeps,
} from "#modules/billing/testing/billing.fixture.ts";
import { createCustomer, toTaxedDeps } from "#modules/billing/testing/taxed.fixture.ts";

/** Ends what hangs. */
const DEADLINE_MS = 300_000;
const INVOICES = 12;

let database: TestDatabase;
let home: ProductHome;
let turnpike: CommandLine;
let customer: string;
let noteNumber: string;
let untaxedNumber: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const services = createTestServices(database);
  await createTestTenant(services);
  await publishPricedPlans(services);
  const deps = toTaxedDeps(services);
  const tenantId = await createCustomer(deps, { name: "Acme", country: "DE" });
  customer = tenantId;
  const key = { tenantId, environment: "live" as const };
  await act(deps, key, { do: "subscribe", planId: "metered" });
  const charge = { ...key, amount: "10", taxClass: "standard", when: "now" as const };
  const reason = "Agreed.";
  for (let index = 1; index < INVOICES; index += 1) {
    const description = `Workshop ${String(index)}`;
    await addAdjustment(deps, OPERATOR_CONTEXT, { ...charge, description, reason });
  }
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, { ...key, limit: 1 });
  const { invoiceId } = items[0] ?? expect.fail("no invoice");
  noteNumber = (await createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, reason })).number;
  // Issued while no tax was configured.
  const { tenantId: other } = await createTestTenant(services, "Untaxed");
  const untaxed = toBillingDeps(services);
  await act(untaxed, { tenantId: other }, { do: "subscribe", planId: "metered" });
  const issued = await listInvoices(untaxed, OPERATOR_CONTEXT, {
    ...key,
    tenantId: other,
    limit: 1,
  });
  untaxedNumber = issued.items[0]?.number ?? expect.fail("no invoice");
  home = await makeProductHome({ DATABASE_URL: databaseUrlOf(database) });
  turnpike = createCommandLine({ env: home.environment, workingFolder: home.dataFolder });
}, DEADLINE_MS);
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await database.close();
}, DEADLINE_MS);

async function exported(folder: string, format: string, ...args: string[]) {
  const words = ["invoices", "export", "--format", format, "--out", folder, ...args, "--json"];
  const { code, stdout, stderr } = await turnpike(...words);
  return { code, stderr, summary: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe("turnpike invoices export", { timeout: DEADLINE_MS }, () => {
  it("writes every invoice and credit note, names what has no such form, and writes nothing twice", async () => {
    await using folder = await makeTempFolder();
    const first = await exported(folder.path, "ubl");
    expect(first).toMatchObject({
      code: 1,
      summary: {
        written: INVOICES + 1,
        kept: 0,
        refused: 1,
        refusals: [
          { number: untaxedNumber, reason: expect.stringContaining("billing.seller.taxId") },
        ],
      },
    });
    const files = await readdir(folder.path);
    expect(files).toHaveLength(INVOICES + 1);
    expect(files).toContain(`${noteNumber}.ubl.xml`);
    const [name = ""] = files;
    await rm(join(folder.path, name));
    const again = await exported(folder.path, "ubl");
    expect(again.summary).toMatchObject({ written: 1, kept: INVOICES, refused: 1 });
    const { summary } = await exported(folder.path, "pdf", "--tenant", customer);
    expect(summary).toMatchObject({ written: INVOICES + 1, refused: 0 });
    const pdf = await readFile(join(folder.path, `${noteNumber}.pdf`));
    expect(pdf.toString("latin1")).toMatch(/^%PDF-1\.7/);
    expect(pdf.toString("latin1")).toMatch(/%%EOF\s*$/);
    const none = await exported(folder.path, "json", "--to", "2000-01-01");
    expect(none).toMatchObject({ code: 0, summary: { written: 0 } });
  });

  it("writes the records of invoices and credit notes", async () => {
    await using folder = await makeTempFolder();
    expect(await exported(folder.path, "json")).toMatchObject({ code: 0 });
    const read = async (name: string) => await readFile(join(folder.path, name), "utf8");
    expect(JSON.parse(await read(`${noteNumber}.json`))).toMatchObject({ number: noteNumber });
    expect(await exported(folder.path, "csv")).toMatchObject({ code: 0 });
    const csv = await read(`${noteNumber}.csv`);
    expect(csv).toMatch(/,of,.*INV-/);
    expect(csv).toContain(`${noteNumber},USD,toDue`);
  });

  it("continues after kill -9: no file is there in part", async () => {
    await using folder = await makeTempFolder();
    const words = ["invoices", "export", "--format", "pdf", "--out", folder.path];
    const killed = home.run("apps/server/src/cli/main.ts", ...words);
    const isPdf = (name: string) => name.endsWith(".pdf");
    await pollUntil(
      "a file is there",
      async () => (await readdir(folder.path)).some(isPdf),
      DEADLINE_MS,
    );
    killed.kill("SIGKILL");
    await killed.ended;
    const before = (await readdir(folder.path)).filter(isPdf);
    // What a kill at the worst moment leaves behind.
    await writeFile(join(folder.path, `.${untaxedNumber}.pdf.part`), "%PDF-");
    const { code, summary } = await exported(folder.path, "pdf");
    expect({ code, kept: summary.kept }).toEqual({ code: 0, kept: before.length });
    const after = await readdir(folder.path);
    expect(after.filter((name) => !isPdf(name))).toEqual([]);
    expect(after).toHaveLength(INVOICES + 2);
    for (const name of after) {
      expect((await readFile(join(folder.path, name))).toString("latin1")).toMatch(/%%EOF\s*$/);
    }
  });

  it.runIf(process.getuid?.() === 0)(
    "says that the disk is full, and continues when there is room",
    async () => {
      await using folder = await makeTempFolder();
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path]);
      try {
        const full = await exported(folder.path, "pdf");
        expect({ code: full.code, summary: full.summary }).toEqual({ code: 1, summary: undefined });
        expect(JSON.parse(full.stderr)).toMatchObject({
          code: "FILE_NOT_WRITTEN",
          detail: expect.stringContaining("the disk is full"),
        });
        const kept = await readdir(folder.path);
        expect(kept.every((name) => name.endsWith(".pdf"))).toBe(true);
        execFileSync("mount", ["-o", "remount,size=8m", folder.path]);
        const { summary } = await exported(folder.path, "pdf");
        expect(summary).toMatchObject({ kept: kept.length, written: INVOICES + 2 - kept.length });
      } finally {
        execFileSync("umount", [folder.path]);
      }
    },
  );

  it("says what is wrong", async () => {
    const { code, stderr } = await turnpike("invoices", "export", "--format", "pfd", "--out", "x");
    expect(code).toBe(2);
    expect(stderr).toContain("pdf");
  });
});

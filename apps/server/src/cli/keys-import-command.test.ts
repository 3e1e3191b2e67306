import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandLine } from "@turnpike/testkit/command-line";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { importFile } from "./keys-import-command.ts";

const sha256 = (text: string) => hash("sha256", text, "hex");

async function* csv(rows: number, label: string) {
  yield await Promise.resolve(Buffer.from("hash,name,externalId\n"));
  for (let row = 0; row < rows; row += 1) {
    yield Buffer.from(`${sha256(`${label}-${String(row)}`)},Key ${String(row)},${String(row)}\n`);
  }
}

describe("importFile", () => {
  let database: TestDatabase;
  let services: TestServices;
  beforeAll(async () => {
    database = await createTestDatabase();
    services = createTestServices(database);
  });
  afterAll(() => database.close());
  const session = (signal = new AbortController().signal) => ({
    deps: services,
    context: OPERATOR_CONTEXT,
    signal,
  });

  it("goes on behind what was done when it was stopped between batches, with one audit entry for each", async () => {
    const { tenantId } = await createTestTenant(services);
    const stopping = new AbortController();
    async function* stoppedAfterTwo() {
      let rows = 0;
      for await (const piece of csv(3_500, "resumed")) {
        rows += 1;
        if (rows === 2_600) {
          stopping.abort(new Error("stopped"));
        }
        yield piece;
      }
    }
    const input = { tenantId, dryRun: false };
    await expect(
      importFile(session(stopping.signal), { ...input, source: stoppedAfterTwo() }),
    ).rejects.toThrow("stopped");
    const again = await importFile(session(), { ...input, source: csv(3_500, "resumed") });
    expect(again).toMatchObject({ rows: 3_500, existing: 2_000, imported: 1_500, refused: 0 });
    const third = await importFile(session(), { ...input, source: csv(3_500, "resumed") });
    expect(third).toMatchObject({ existing: 3_500, imported: 0 });
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    expect(items.filter((entry) => entry.action === "keys.imported")).toHaveLength(4);
  });

  it("names the lines of what it refuses, at most a thousand of them", async () => {
    const { tenantId } = await createTestTenant(services);
    async function* bad() {
      yield await Promise.resolve(Buffer.from(`hash,name\n${sha256("good")},Good\n`));
      yield Buffer.from("nothing,Bad\n".repeat(1_200));
    }
    const summary = await importFile(session(), { tenantId, dryRun: false, source: bad() });
    expect(summary).toMatchObject({ imported: 1, refused: 1_200, errorsOmitted: 200 });
    expect(summary.errors).toHaveLength(1_000);
    expect(summary.errors[0]).toMatchObject({ row: 2, line: 3, pointer: "/hash" });
  });

  it.each([
    [
      "CSV",
      `hash,name,expiresAt\nnothing,Bad\nnothing,Bad,\n${sha256("late")},Late,01/02/2030\n${sha256("short")}\n`,
      [1, 2, 3, 4],
      [2, 3, 4, 5],
    ],
    [
      "JSON in one line",
      JSON.stringify([5, { hash: "nothing", name: "Bad" }, { hash: sha256("no name") }]),
      [1, 2, 3],
      [1, 1, 1],
    ],
  ])(
    "says each mistake once, in the order of the rows, and which row it is: %s",
    async (_format, text, rows, lines) => {
      const { tenantId } = await createTestTenant(services);
      async function* source() {
        yield await Promise.resolve(Buffer.from(text));
      }
      const summary = await importFile(session(), { tenantId, dryRun: true, source: source() });
      expect(summary.errors.map(({ row }) => row)).toEqual(rows);
      expect(summary.errors.map(({ line }) => line)).toEqual(lines);
    },
  );
});

describe("turnpike keys import", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  it("rehearses, imports, imports again and says which lines are bad", async () => {
    await using folder = await makeTempFolder();
    const turnpike = createCommandLine({
      env: { TURNPIKE_DATA_DIR: folder.path, DATABASE_URL: databaseUrlOf(database) },
      workingFolder: folder.path,
    });
    const path = join(folder.path, "keys.csv");
    const key = "canary-of-the-import";
    await writeFile(path, `hash,name\n${sha256(key)},Old\nb4d,Bad\n`);
    await turnpike("tenants", "create", "--name", "Importer");
    const call = async (...more: string[]) => {
      const args = ["keys", "import", "--tenant", "importer", ...more, path, "--json"];
      const { code, stdout, stderr } = await turnpike(...args);
      expect(`${stdout}${stderr}`).not.toContain(sha256(key));
      return { code, summary: JSON.parse(stdout) };
    };
    const errors = [{ line: 3, pointer: "/hash", message: expect.stringContaining("SHA-256") }];
    const expected = { rows: 2, refused: 1, errors };
    expect(await call("--dry-run")).toMatchObject({
      code: 1,
      summary: { ...expected, dryRun: true, imported: 1 },
    });
    expect(await call()).toMatchObject({ code: 1, summary: { ...expected, imported: 1 } });
    expect(await call()).toMatchObject({
      code: 1,
      summary: { ...expected, imported: 0, existing: 1 },
    });
    const missing = await turnpike("keys", "import", "--tenant", "importer", `${path}.no`);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no file") });
  });
});

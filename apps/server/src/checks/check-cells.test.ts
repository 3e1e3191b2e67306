import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDirectory } from "../open-directory.ts";
import { checkCells } from "./check-cells.ts";

let shared: TestDatabase;
let config: Parameters<typeof checkCells>[0];

beforeAll(async () => {
  shared = await createTestDatabase();
  config = {
    cell: { name: "eu", address: "https://gateway.eu.internal", plainHttp: false },
    directoryUrl: databaseUrlOf(shared),
    cellsSecret: "the secret that all cells of this test share",
  };
  const directory = openDirectory(config);
  await directory?.announce({
    address: "https://gateway.eu.internal",
    consoleUrl: "https://eu.example.com",
    gatewayUrl: "https://api.eu.example.com",
    identity: "the secret of the nodes of one cell",
  });
  await directory?.close();
});
afterAll(() => shared.close());

describe("checkCells", () => {
  it("has nothing to say where an installation stands alone, or all cells give signs of life", async () => {
    const alone = { cell: undefined, directoryUrl: undefined, cellsSecret: undefined };
    expect((await checkCells(alone, [], new Date())).state).toBe("ok");
    expect(await checkCells(config, [], new Date())).toMatchObject({
      state: "ok",
      seen: expect.stringContaining("eu"),
    });
  });

  it("names a cell that is silent", async () => {
    const later = new Date(Date.now() + 10 * 60_000);
    expect(await checkCells(config, [], later)).toMatchObject({
      state: "warning",
      seen: expect.stringContaining("from: eu"),
    });
  });

  it("fails where the directory is away, or was made with another secret", async () => {
    const away = { ...config, directoryUrl: "postgres://user@127.0.0.1:1/none" };
    expect((await checkCells(away, [], new Date())).state).toBe("failed");
    const other = { ...config, cellsSecret: "another secret that is long enough" };
    expect(await checkCells(other, [], new Date())).toMatchObject({
      state: "failed",
      seen: expect.stringContaining("TURNPIKE_CELLS_SECRET"),
    });
  });

  it("names a tenant whose move was stopped", async () => {
    const changedAt = new Date();
    const moves = [{ slug: "blue-heron-maps", changedAt }];
    const later = new Date(changedAt.getTime() + 60 * 60_000);
    expect((await checkCells(config, moves, changedAt)).state).toBe("ok");
    expect(await checkCells(config, moves, later)).toMatchObject({
      state: "failed",
      seen: expect.stringContaining("blue-heron-maps"),
    });
  });
});

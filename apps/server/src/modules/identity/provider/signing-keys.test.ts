import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  KEY_KEPT_MS,
  KEY_LIFETIME_MS,
  KEY_PUBLISHED_AHEAD_MS,
  openSigningKeys,
} from "./signing-keys.ts";

// Keys belong to the whole installation, so each case has its own database.
let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

const SECRET = "a secret of identity that only tests use";
const HOUR_MS = 60 * 60 * 1_000;

const open = (secret = SECRET) => openSigningKeys(services, secret);
const kidsOf = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid);

describe("signing keys", () => {
  it("are created once, even when ten processes start at the same time", async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => open()));
    const kids = await Promise.all(opened.map(async (keys) => kidsOf(await keys.current())));
    expect(new Set(kids.flat()).size).toBe(1);
  });

  it("are the same after a restart", async () => {
    const [before] = await (await open()).current();
    const [after] = await (await open()).current();
    expect(after?.privateJwk).toEqual(before?.privateJwk);
  });

  it("are published ahead, sign for 90 days, and stay until no token needs them", async () => {
    const keys = await open();
    const [first] = kidsOf(await keys.current());

    services.clock.advance(KEY_LIFETIME_MS - KEY_PUBLISHED_AHEAD_MS - HOUR_MS);
    expect(kidsOf(await keys.current())).toEqual([first]);
    services.clock.advance(HOUR_MS);
    const [stillFirst, second] = kidsOf(await keys.current());
    expect(stillFirst).toBe(first);
    expect(second).toBeDefined();

    services.clock.advance(KEY_PUBLISHED_AHEAD_MS - 1);
    expect(kidsOf(await keys.current())).toEqual([first, second]);
    services.clock.advance(1);
    expect(kidsOf(await keys.current())).toEqual([second, first]);
    expect(keys.publicKeys().map(({ kid }) => kid)).toEqual([second, first]);
    services.clock.advance(KEY_KEPT_MS);
    expect(kidsOf(await keys.current())).toEqual([second]);
    const rows = await database.sql`select kid from signing_keys`;
    expect(rows.map(({ kid }) => kid)).toEqual([second]);
  });

  it("rotate for years without a gap, known to every process before they sign", async () => {
    const one = await open();
    const other = await open();
    let known = kidsOf(await other.current());
    for (let day = 0; day < 400; day += 1) {
      services.clock.advance(24 * HOUR_MS);
      const [signing] = kidsOf(await one.current());
      expect(known).toContain(signing);
      known = kidsOf(await other.current());
    }
    const rows = await database.sql`select kid from signing_keys`;
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  it("are published ahead even by a process that was off for a year", async () => {
    const [first] = kidsOf(await (await open()).current());
    services.clock.advance(4 * KEY_LIFETIME_MS);
    const keys = await open();
    const [stillFirst, second] = kidsOf(await keys.current());
    expect(stillFirst).toBe(first);
    services.clock.advance(KEY_PUBLISHED_AHEAD_MS);
    expect(kidsOf(await keys.current())[0]).toBe(second);
  });

  it("keep signing while the database is down", async () => {
    const keys = await open();
    const before = kidsOf(await keys.current());
    await database.sql`alter table signing_keys rename to signing_keys_away`;
    services.clock.advance(HOUR_MS);
    expect(kidsOf(await keys.current())).toEqual(before);
  });

  it("of machines with different secrets are trusted by all, until their machine is gone", async () => {
    const here = await open();
    const there = await open("another secret, which is as long as it must be");
    const [ours] = kidsOf(await here.current());
    const [theirs] = kidsOf(await there.current());
    expect(theirs).not.toBe(ours);
    services.clock.advance(60_000);
    await here.current();
    expect(here.publicKeys().map(({ kid }) => kid)).toEqual([ours, theirs]);
    expect(there.publicKeys().map(({ kid }) => kid)).toEqual([theirs, ours]);

    services.clock.advance(KEY_KEPT_MS);
    expect(kidsOf(await here.current())).toEqual([ours]);
    expect(here.publicKeys().map(({ kid }) => kid)).toEqual([ours]);
    const [again] = kidsOf(await there.current());
    expect([ours, theirs]).not.toContain(again);
  });

  it("are the same list until they change, so that verifiers can cache what they derive from it", async () => {
    const keys = await open();
    const before = keys.publicKeys();
    services.clock.advance(HOUR_MS);
    await keys.current();
    expect(keys.publicKeys()).toBe(before);
    services.clock.advance(KEY_LIFETIME_MS);
    await keys.current();
    expect(keys.publicKeys()).not.toBe(before);
  });

  it("are stored only encrypted", async () => {
    const [key] = await (await open()).current();
    const [row] = await database.sql<{ line: string }[]>`
      select row::text as line from signing_keys as row`;
    expect(row?.line).toContain(key?.kid);
    expect(row?.line).not.toContain(String(key?.privateJwk.d));
  });
});

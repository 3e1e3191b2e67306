import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import type { HashSender } from "../attempts/hash-queue.ts";
import { hashPassword, isOutdatedHash, isPasswordOf, PASSWORD_COST } from "./password-hash.ts";
import { type PasswordHasher, startPasswordHasher } from "./password-hasher.ts";

const started: PasswordHasher[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((hasher) => hasher.stop()));
});

async function start(options: Parameters<typeof startPasswordHasher>[1] = {}) {
  const hasher = await startPasswordHasher({ randomBytes }, options);
  started.push(hasher);
  return hasher;
}

const ADA: HashSender = { block: "192.0.2.0/24", account: "ada@example.test", isKnown: false };

function newSender(number: number): HashSender {
  const name = String(number);
  return { block: `2001:db8:${name}::/48`, account: `person${name}@example.test`, isKnown: false };
}

const CHEAP = { memoryKib: 64, passes: 1, parallelism: 1 };

describe("password hashes", () => {
  it("match only the password they were made from", () => {
    const phc = hashPassword("violet harbour", randomBytes(16), CHEAP);
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(isPasswordOf("violet harbour", phc)).toBe(true);
    expect(isPasswordOf("violet harbor", phc)).toBe(false);
    expect(isPasswordOf("", phc)).toBe(false);
  });

  it("of other programs match, too", () => {
    // Made by the reference implementation: argon2 somesalt -id -t 2 -m 16 -p 1 -l 32.
    const phc =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    expect(isPasswordOf("password", phc)).toBe(true);
  });

  it.each(["", "x", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$x"])(
    "of other kinds match nothing: %s",
    (phc) => {
      expect(isPasswordOf("password", phc)).toBe(false);
      expect(isOutdatedHash(phc, CHEAP)).toBe(true);
    },
  );

  it("cost at least what OWASP recommends", () => {
    expect(PASSWORD_COST.memoryKib).toBeGreaterThanOrEqual(19 * 1024);
    expect(PASSWORD_COST.passes).toBeGreaterThanOrEqual(2);
  });
});

describe("the thread that hashes", () => {
  it("takes as long without a stored hash as with one, and never matches then", async () => {
    const hasher = await start({ cost: CHEAP });
    const phc = await hasher.hash("violet harbour", ADA);
    const before = hasher.load.done;
    expect(await hasher.verify("violet harbour", phc, ADA)).toBe(true);
    expect(await hasher.verify("violet harbour", undefined, ADA)).toBe(false);
    expect(hasher.load.done - before).toBe(2);
  });

  it("accepts a bounded number of 500 at once, refuses the others immediately, and leaves the main thread free", async () => {
    const hasher = await start({ waitingMax: 16 });
    const delays = monitorEventLoopDelay({ resolution: 1 });
    const before = hasher.load.done;
    delays.enable();
    const tries = Array.from({ length: 500 }, (_, index) =>
      hasher.verify("violet harbour", undefined, newSender(index)).then(
        () => "verdict",
        (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
      ),
    );
    expect(hasher.load.waiting).toBe(16);
    const outcomes = await Promise.all(tries);
    delays.disable();
    expect(outcomes.filter((outcome) => outcome === "verdict")).toHaveLength(16);
    expect(outcomes.filter((outcome) => outcome === "OVERLOADED")).toHaveLength(484);
    expect(hasher.load).toEqual({ done: before + 16, waiting: 0 });
    // Sixteen hashes on this thread would block every tick for tens of milliseconds.
    expect(delays.count).toBeGreaterThan(50);
  });

  it("is replaced when it dies, and waiting calls fail", async () => {
    const hasher = await start({ cost: CHEAP });
    const impossible = await start({ cost: CHEAP });
    const broken = impossible.verify(
      "x",
      "$argon2id$v=19$m=8,t=1,p=16$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
      ADA,
    );
    await expect(broken).rejects.toThrow();
    expect(await impossible.verify("x", undefined, ADA)).toBe(false);
    expect(await hasher.verify("x", undefined, ADA)).toBe(false);
  });

  it("refuses politely after it has stopped", async () => {
    const hasher = await start({ cost: CHEAP });
    await hasher.stop();
    await expect(hasher.hash("x", ADA)).rejects.toMatchObject({ code: "OVERLOADED" });
  });
});

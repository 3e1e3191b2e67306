import { createFakeClock } from "@turnpike/testkit/fake-clock";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSharedRateMemory, openSharedRateTable } from "#platform/shared-rate-table.ts";
import {
  type Attempt,
  type AttemptKind,
  createAttemptLimits,
  createSharedAttemptLimits,
  toBlock,
  toNetwork,
} from "./attempt-limits.ts";

function start(entriesMax?: number) {
  const clock = createFakeClock();
  const limits = createAttemptLimits(clock, entriesMax === undefined ? {} : { entriesMax });
  const isTaken = (kind: AttemptKind, attempt: Attempt): boolean => {
    try {
      limits.take(kind, attempt);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "TOO_MANY_ATTEMPTS" });
      return false;
    }
  };
  return { clock, limits, isTaken };
}

const ADA = { email: "ada@example.test", network: "192.0.2.1" };

describe("toNetwork", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1:2:3:4", "fe80:0:0:0::/64"],
  ])("%s is in %s", (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });
});

describe("toBlock", () => {
  it.each([
    ["192.0.2.1", "192.0.2.0/24"],
    ["2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["unknown", "unknown"],
  ])("%s is in %s", (network, block) => {
    expect(toBlock(network)).toBe(block);
  });
});

describe("attempts", () => {
  it("are limited for an account and a network, and possible again after a while", () => {
    const { clock, isTaken } = start();
    const taken = Array.from({ length: 12 }, () => isTaken("sign-in", ADA));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(isTaken("sign-in", { ...ADA, network: "192.0.2.2" })).toBe(true);
    expect(isTaken("sign-in", { ...ADA, email: "eve@example.test" })).toBe(true);
    clock.advance(90_000);
    expect(isTaken("sign-in", ADA)).toBe(true);
    expect(isTaken("sign-in", ADA)).toBe(false);
  });

  it("are limited for an account over all networks", () => {
    const { isTaken } = start();
    const taken = Array.from({ length: 150 }, (_, index) =>
      isTaken("sign-in", { ...ADA, network: `10.0.0.${String(index)}` }),
    );
    expect(taken.filter(Boolean)).toHaveLength(100);
  });

  it("are limited for a network over all accounts", () => {
    const { isTaken } = start();
    const taken = Array.from({ length: 150 }, (_, index) =>
      isTaken("sign-in", { ...ADA, email: `person${String(index)}@example.test` }),
    );
    expect(taken.filter(Boolean)).toHaveLength(100);
  });

  it.each([
    ["the /64 networks of one /48", (index: number) => `2001:db8:1:${index.toString(16)}::1`],
    ["the addresses of one /24", (index: number) => `192.0.2.${String(index)}`],
  ])("are limited over all %s, and not beyond", (_, addressOf) => {
    const { isTaken } = start();
    const attempt = (network: string, index: number) =>
      isTaken("sign-in", { email: `person${String(index)}@example.test`, network });
    const taken = Array.from({ length: 1_000 }, (_each, index) =>
      attempt(toNetwork(addressOf(index % 250)), index),
    );
    expect(taken.filter(Boolean)).toHaveLength(400);
    expect(attempt("198.51.100.1", 1)).toBe(true);
    expect(attempt(toNetwork("2001:db8:2::1"), 1)).toBe(true);
  });

  it("of a known browser have a budget of their own, which no one else can use up", () => {
    const { clock, isTaken } = start();
    const owner = { ...ADA, knownBrowser: "browser 1" };
    for (let index = 0; index < 130; index += 1) {
      isTaken("sign-in", { ...ADA, network: `198.51.${String(index % 14)}.1` });
      isTaken("sign-in", { ...ADA, email: `person${String(index)}@example.test` });
    }
    expect(isTaken("sign-in", { ...ADA, network: "203.0.113.9" })).toBe(false);
    const taken = Array.from({ length: 20 }, () => isTaken("sign-in", owner));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(isTaken("sign-in", { ...owner, knownBrowser: "browser 2" })).toBe(true);
    clock.advance(90_000);
    expect(isTaken("sign-in", owner)).toBe(true);
    expect(isTaken("sign-in", owner)).toBe(false);
  });

  it("cost nothing when they succeed, however many there are", () => {
    const { limits, isTaken } = start();
    for (let round = 0; round < 1_000; round += 1) {
      expect(isTaken("sign-in", ADA)).toBe(true);
      limits.giveBack("sign-in", ADA);
    }
  });

  it("cost nothing when they are refused: waiting helps even if someone keeps trying", () => {
    const { clock, isTaken } = start();
    for (let round = 0; round < 500; round += 1) {
      isTaken("link", { network: "192.0.2.1" });
    }
    clock.advance(60_000);
    expect(isTaken("link", { network: "192.0.2.1" })).toBe(true);
  });

  it("of different kinds are counted separately", () => {
    const { isTaken } = start();
    for (let round = 0; round < 20; round += 1) {
      isTaken("sign-in", ADA);
    }
    expect(isTaken("mail", ADA)).toBe(true);
    expect(isTaken("register", ADA)).toBe(true);
  });

  it("at one account stay counted, however many networks others use", () => {
    const { isTaken } = start(100);
    const guess = (from: number) =>
      isTaken("sign-in", { email: ADA.email, network: `guess ${String(from)}` });
    const guesses = Array.from({ length: 60 }, (_, from) => guess(from));
    for (let other = 0; other < 1_000; other += 1) {
      const attempt = { email: `${String(other)}@example.test`, network: `other ${String(other)}` };
      isTaken("mail", attempt);
      isTaken("sign-in", attempt);
    }
    guesses.push(...Array.from({ length: 60 }, (_, from) => guess(60 + from)));
    expect(guesses.filter((isAllowed) => isAllowed)).toHaveLength(100);
  });

  it("are remembered in bounded memory, the highest counts longest", () => {
    const { limits, isTaken } = start(100);
    fc.assert(
      fc.property(fc.nat(1_000_000), (number) => {
        isTaken("link", { network: `network ${String(number)}` });
        // A hundred networks and a hundred blocks.
        expect(limits.size).toBeLessThanOrEqual(200);
      }),
      { numRuns: 500 },
    );
  });
});

describe("attempts that several threads count together", () => {
  const memory = createSharedRateMemory(64);
  const openLimits = (holder: number, name = "sign-in") =>
    createSharedAttemptLimits(openSharedRateTable(memory, { holder, whenFull: "forget" }), name);

  it("are limited as within one thread, and a success is refunded", () => {
    const [here, there] = [openLimits(1), openLimits(2)];
    for (let count = 0; count < 5; count += 1) {
      here.take("sign-in", ADA);
      there.take("sign-in", ADA);
    }
    expect(() => here.take("sign-in", ADA)).toThrow("Too many attempts");
    expect(() => there.take("sign-in", ADA)).toThrow("Too many attempts");
    there.giveBack("sign-in", ADA);
    here.take("sign-in", ADA);
    expect(() => there.take("sign-in", ADA)).toThrow("Too many attempts");
    openLimits(2, "invitations").take("sign-in", ADA);
  });
});

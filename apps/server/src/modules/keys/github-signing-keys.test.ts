import { generateKeyPairSync } from "node:crypto";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { type Outbound, OutboundError } from "#platform/outbound.ts";
import { createGithubSigningKeys } from "./github-signing-keys.ts";

const pemOf = (namedCurve: string) =>
  generateKeyPairSync("ec", { namedCurve }).publicKey.export({ type: "spki", format: "pem" });
const P256 = pemOf("prime256v1");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: ReturnType<typeof createFakeClock>;
let asked: (string | undefined)[];
let answer: () => { value: unknown; etag: string | undefined } | undefined;
let keys: ReturnType<typeof createGithubSigningKeys>;
const publish = (...identifiers: string[]) => ({
  value: {
    public_keys: identifiers.map((key_identifier) => ({
      key_identifier,
      key: P256,
      is_current: true,
    })),
  },
  etag: '"one"',
});

beforeEach(() => {
  clock = createFakeClock();
  asked = [];
  answer = () => publish("a");
  const outbound: Pick<Outbound, "getJsonIfChanged"> = {
    getJsonIfChanged: async (_url, _limits, etag) => {
      asked.push(etag);
      return await Promise.resolve(answer());
    },
  };
  const logger = createLogger({ level: "silent" });
  keys = createGithubSigningKeys({ outbound, clock, logger }, "https://api.example.test/keys");
});

describe("the signing keys of GitHub's secret scanning", () => {
  it("are fetched on first use, once for all waiting callers, and then cached", async () => {
    const found = await Promise.all([keys.find("a"), keys.find("a"), keys.find("b")]);
    expect(found.map((key) => key?.asymmetricKeyType)).toEqual(["ec", "ec", undefined]);
    await keys.find("a");
    expect(asked).toEqual([undefined]);
  });

  it("are fetched again for unknown identifiers, at most once a minute and with the ETag", async () => {
    await keys.find("a");
    for (let call = 0; call < 50; call += 1) {
      expect(await keys.find(`invented-${String(call)}`)).toBeUndefined();
    }
    expect(asked).toHaveLength(1);
    clock.advance(MINUTE_MS);
    answer = () => publish("a", "b");
    expect(await keys.find("b")).toBeDefined();
    expect(asked).toEqual([undefined, '"one"']);
  });

  it("stay while nothing changes, and go when GitHub withdraws them", async () => {
    await keys.find("a");
    clock.advance(HOUR_MS);
    answer = () => undefined;
    expect(await keys.find("a")).toBeDefined();
    clock.advance(HOUR_MS);
    answer = () => publish("b");
    expect(await keys.find("a")).toBeUndefined();
  });

  it("verify for a day while GitHub is unreachable, and then fail", async () => {
    await keys.find("a");
    answer = () => {
      throw new OutboundError("away");
    };
    clock.advance(23 * HOUR_MS);
    expect(await keys.find("a")).toBeDefined();
    clock.advance(HOUR_MS);
    const refusal = await refusalOf(keys.find("a"));
    expect(refusal.code).toBe("LEAK_KEYS_UNAVAILABLE");
    answer = () => publish("a");
    clock.advance(MINUTE_MS);
    expect(await keys.find("a")).toBeDefined();
  });

  it("must be on the protocol's curve; other keys and malformed ones are ignored", async () => {
    answer = () => ({
      value: {
        public_keys: [
          { key_identifier: "other", key: pemOf("secp384r1") },
          { key_identifier: "none", key: "-----BEGIN PUBLIC KEY-----" },
          { key_identifier: "good", key: P256 },
        ],
      },
      etag: undefined,
    });
    expect(await keys.find("good")).toBeDefined();
    expect(await keys.find("other")).toBeUndefined();
    expect(await keys.find("none")).toBeUndefined();
  });
});

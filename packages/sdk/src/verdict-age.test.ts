import { expect, it } from "vitest";
import { createTurnpike, type TurnpikeOptions } from "./create-turnpike.ts";
import { TurnpikeUnavailableError } from "./errors.ts";
import { refuse, VALID_REPLY } from "./fake-turnpike.fixture.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

const REVOKED = refuse("REVOKED");
const CHECK = { key: "k", cost: 0 };

/** A client whose questions are answered when the test says so, in any order, and with a clock of the test's. */
function play(options: Partial<TurnpikeOptions> = {}) {
  let nowMs = 0;
  const asked: ((reply: VerifyReply | undefined) => void)[] = [];
  const turnpike = createTurnpike({
    url: "http://turnpike.test",
    serviceKey: "tp_svc_x",
    retriesMax: 0,
    ...options,
    runtime: {
      nowMs: () => nowMs,
      fetch: () =>
        new Promise((resolve, reject) => {
          asked.push((reply) =>
            reply === undefined ? reject(new TypeError("failed")) : resolve(Response.json(reply)),
          );
        }),
    },
  });
  return {
    asked,
    pass(ms: number): void {
      nowMs += ms;
    },
    /** Asks, and gives what answers it. */
    begin(request: VerifyRequest) {
      const call = turnpike.verify(request, { onUnavailable: "allow" });
      // It stands in `asked` by now, unless the cache has the answer.
      const answer = asked.at(-1);
      return async (reply?: VerifyReply) => {
        answer?.(reply);
        return await call.catch((error: unknown) => error);
      };
    },
  };
}

const DENIED = expect.any(TurnpikeUnavailableError);

it.each(["REVOKED", "DISABLED", "TENANT_SUSPENDED"] as const)(
  "gives no trust back to a key that is %s because an older answer came later",
  async (code) => {
    const { begin, pass } = play({ cache: { deadKeysMs: 0 } });
    await begin(CHECK)(VALID_REPLY);
    const older = begin(CHECK);
    pass(10);
    await begin(CHECK)(refuse(code));
    expect(await older(VALID_REPLY)).toMatchObject({ valid: true, source: "server" });
    expect(await begin(CHECK)()).toEqual(DENIED);
    await begin(CHECK)(VALID_REPLY);
    expect(await begin(CHECK)()).toMatchObject({ valid: true, source: "outage" });
  },
);

it("does not trust a key unknown so far because of an answer older than its refusal", async () => {
  const { begin, pass } = play({ cache: { entriesMax: 2, deadKeysMs: 0 } });
  const older = begin(CHECK);
  pass(10);
  await begin(CHECK)(REVOKED);
  for (const key of ["a", "b", "c"]) {
    await begin({ key, cost: 0 })(REVOKED);
  }
  await older(VALID_REPLY);
  expect(await begin(CHECK)()).toEqual(DENIED);
});

it("caches no answer that was overtaken by a newer one", async () => {
  const { begin, pass, asked } = play({ cache: { checksMs: 60_000 } });
  const older = begin(CHECK);
  pass(10);
  await begin(CHECK)(REVOKED);
  await older(VALID_REPLY);
  expect(await begin(CHECK)()).toMatchObject({ code: "REVOKED", source: "cache" });
  pass(5_000);
  expect(await begin(CHECK)()).toMatchObject({ code: "REVOKED", source: "cache" });
  const unknown = begin({ key: "new" });
  pass(10);
  await begin({ key: "new" })(VALID_REPLY);
  await unknown(refuse("INVALID_KEY"));
  expect(await begin({ key: "new" })(VALID_REPLY)).toMatchObject({ source: "server" });
  expect(asked).toHaveLength(5);
});

it("takes the trust of a key by an older refusal too, for it was heard", async () => {
  const { begin, pass } = play({ cache: { deadKeysMs: 0 } });
  const older = begin(CHECK);
  pass(10);
  await begin(CHECK)(VALID_REPLY);
  await older(REVOKED);
  expect(await begin(CHECK)()).toEqual(DENIED);
});

it.each<[string, VerifyReply]>([
  ["dead key", REVOKED],
  ["check", VALID_REPLY],
])(
  "counts the life of a verdict on a %s from its question, however late the answer",
  async (_, reply) => {
    const { begin, pass, asked } = play({ cache: { checksMs: 5_000, deadKeysMs: 5_000 } });
    const slow = begin(CHECK);
    pass(1_900);
    await slow(reply);
    pass(3_099);
    expect(await begin(CHECK)()).toMatchObject({ source: "cache" });
    pass(1);
    expect(await begin(CHECK)(reply)).toMatchObject({ source: "server" });
    expect(asked).toHaveLength(2);
  },
);

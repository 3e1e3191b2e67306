import { setImmediate } from "node:timers/promises";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { deny } from "../decide/denial.ts";
import type { RightsNow } from "../decide/recheck-rights.ts";
import { createOpenCalls, type OpenCall } from "./open-calls.ts";

const REFUSED: RightsNow = { refusal: deny("REVOKED", "This API key was revoked.") };
const ALLOWED: RightsNow = { refusal: undefined, expiresAtMs: Number.POSITIVE_INFINITY };

function start(answer: () => Promise<RightsNow>) {
  const state = { asked: 0, silentMs: 0, wallMs: 0 };
  const calls = createOpenCalls({
    recheckRights: () => {
      state.asked += 1;
      return answer();
    },
    changesSilentMs: () => state.silentMs,
    clock: { now: () => new Date(state.wallMs), monotonicMs: () => 0 },
    logger: createLogger({ level: "silent" }),
  });
  const stop = new AbortController();
  calls.watchExpiry(stop.signal);
  onTestFinished(() => stop.abort());

  function open(
    expiresAtMs = Number.POSITIVE_INFINITY,
    decision: "at-once" | "waited" = "at-once",
  ) {
    const cuts: string[] = [];
    const call: OpenCall = {
      requestId: "req_1",
      admission: {
        keyHash: "hash",
        key: { keyId: newUuidId("key"), expiresAtMs },
        tenant: { tenantId: newUuidId("tenant") },
      },
      findAddress: () => undefined,
      sent: { cut: ({ code }) => cuts.push(code) },
    };
    calls.add(call, decision);
    return { call, cuts };
  }

  function change(kind: "key" | "tenant" | "plan", entityId: string): void {
    calls.applyChange({ kind, tenantId: null, entityId, revision: 1n });
  }

  return { calls, state, open, change };
}

describe("calls under way", () => {
  it("are asked about when their key or tenant changes, and no others", async () => {
    const { state, open, change } = start(() => Promise.resolve(REFUSED));
    const [one, two, other] = [open(), open(), open()];
    change("key", one.call.admission.key.keyId);
    change("tenant", two.call.admission.tenant.tenantId);
    change("plan", other.call.admission.tenant.tenantId);
    await setImmediate();
    expect([one.cuts, two.cuts, other.cuts]).toEqual([["REVOKED"], ["REVOKED"], []]);
    expect(state.asked).toBe(2);
  });

  it("are asked about once when their decision had to wait, because their key may have changed meanwhile", async () => {
    const { state, open } = start(() => Promise.resolve(REFUSED));
    const [atOnce, waited] = [open(), open(Number.POSITIVE_INFINITY, "waited")];
    await pollUntil("it is cut", () => waited.cuts.length > 0);
    expect([atOnce.cuts, waited.cuts, state.asked]).toEqual([[], ["REVOKED"], 1]);
  });

  it("are all asked about when changes were missed, and go on when they may", async () => {
    const { calls, state, open } = start(() => Promise.resolve(ALLOWED));
    const all = [open(), open(), open()];
    calls.applyChange({ kind: "reset" });
    await setImmediate();
    expect(state.asked).toBe(3);
    expect(all.flatMap(({ cuts }) => cuts)).toEqual([]);
  });

  it("are asked about again while the database cannot say, and go on until it can", async () => {
    let isDown = true;
    const { state, open, change } = start(() =>
      isDown ? Promise.reject(new Error("no connection")) : Promise.resolve(REFUSED),
    );
    const { call, cuts } = open();
    change("key", call.admission.key.keyId);
    await pollUntil("it was asked twice", () => state.asked >= 2);
    expect(cuts).toEqual([]);
    isDown = false;
    await pollUntil("it is cut", () => cuts.length > 0);
    expect(cuts).toEqual(["REVOKED"]);
  });

  it("end when the change feed has been silent for more than ten minutes, as nothing new begins then", async () => {
    const { state, open } = start(() => Promise.resolve(ALLOWED));
    const { cuts } = open();
    state.silentMs = 10 * 60_000 + 1;
    await pollUntil("it is cut", () => cuts.length > 0);
    expect(cuts).toEqual(["LIMITS_UNAVAILABLE"]);
  });

  it("are not cut for an expiry that was put off", async () => {
    const { state, open } = start(() => Promise.resolve(ALLOWED));
    const { cuts } = open(1_000);
    state.wallMs = 1_000;
    await pollUntil("it was asked about", () => state.asked > 0);
    await setImmediate();
    expect([cuts, state.asked]).toEqual([[], 1]);
  });

  it("are forgotten once they are over or cut", async () => {
    let say: (rights: RightsNow) => void = () => undefined;
    const { calls, state, open, change } = start(
      () =>
        new Promise((resolve) => {
          say = resolve;
        }),
    );
    const { call, cuts } = open();
    change("key", call.admission.key.keyId);
    await setImmediate();
    calls.delete(call);
    say(REFUSED);
    await setImmediate();
    change("key", call.admission.key.keyId);
    await setImmediate();
    expect([cuts, state.asked]).toEqual([[], 1]);
  });
});

import { createServer } from "node:net";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { describe, expect, it } from "vitest";
import type { CallOutcome } from "./call-outcome.ts";
import { createUpstreamHealth } from "./upstream-health.ts";
import { createUpstreamRouter, type Upstream } from "./upstream-router.ts";

const ANSWERED: CallOutcome = {
  kind: "status",
  status: 503,
  upstreamMs: 1,
  isStream: false,
  cost: undefined,
};
const UNREACHABLE: CallOutcome = { kind: "failed", code: "UPSTREAM_UNREACHABLE" };
const TIMEOUT: CallOutcome = { kind: "failed", code: "UPSTREAM_TIMEOUT" };

function createStage(options: { port?: number; accepts?: boolean } = {}) {
  const { upstreams } = createUpstreamRouter([
    {
      name: "main",
      url: `http://127.0.0.1:${String(options.port ?? 1)}`,
      timeouts: { connectMs: 1_000, headersMs: 1_000, idleMs: 1_000 },
      maxRequestBytes: 1_000,
      preserveHost: false,
    },
  ]);
  const upstream: Upstream = upstreams[0] ?? expect.fail("no upstream");
  const stage = { nowMs: 0, probes: 0, accepts: options.accepts ?? true };
  const health = createUpstreamHealth({
    upstreams,
    monotonicMs: () => stage.nowMs,
    ...(options.port === undefined
      ? {
          probe: () => {
            stage.probes += 1;
            return Promise.resolve(stage.accepts);
          },
        }
      : {}),
  });
  return { stage, health, record: (outcome: CallOutcome) => health.record(upstream, outcome) };
}

describe("createUpstreamHealth", () => {
  it("is failing after three calls in a row without an answer, and not after one", () => {
    const { health, record } = createStage();
    record(UNREACHABLE);
    record(TIMEOUT);
    expect(health.failing()).toEqual([]);
    record(UNREACHABLE);
    expect(health.failing()).toEqual(["main"]);
  });

  it("counts any status as an answer, and one answer ends it", () => {
    const { health, record } = createStage();
    for (const outcome of [UNREACHABLE, UNREACHABLE, ANSWERED, UNREACHABLE, UNREACHABLE]) {
      record(outcome);
      expect(health.failing()).toEqual([]);
    }
    record(UNREACHABLE);
    expect(health.failing()).toEqual(["main"]);
    record(ANSWERED);
    expect(health.failing()).toEqual([]);
  });

  it("blames the upstream for nothing that callers or our own limits do", () => {
    const { health, record } = createStage();
    for (const code of [
      "CLIENT_ABORTED",
      "OVERLOADED",
      "PAYLOAD_TOO_LARGE",
      "REQUEST_TIMEOUT",
    ] as const) {
      for (let times = 0; times < 5; times += 1) {
        record({ kind: "failed", code });
      }
    }
    expect(health.failing()).toEqual([]);
  });

  it("connects where no call was seen for ten seconds, and then not again for ten", async () => {
    const { stage, health } = createStage({ accepts: false });
    await Promise.all([health.refresh(), health.refresh()]);
    expect(health.failing()).toEqual(["main"]);
    expect(stage.probes).toBe(3);
    stage.accepts = true;
    stage.nowMs = 10_000;
    await health.refresh();
    expect(health.failing()).toEqual(["main"]);
    stage.nowMs = 10_001;
    await health.refresh();
    expect(health.failing()).toEqual([]);
    expect(stage.probes).toBe(4);
  });

  it("does not connect while calls say how it is", async () => {
    const { stage, health, record } = createStage();
    record(ANSWERED);
    stage.nowMs = 9_000;
    await health.refresh();
    expect(stage.probes).toBe(0);
  });

  it("does not change its mind with each connection while calls fail", async () => {
    const { stage, health, record } = createStage({ accepts: true });
    record(TIMEOUT);
    record(TIMEOUT);
    record(TIMEOUT);
    for (stage.nowMs = 11_000; stage.nowMs <= 60_000; stage.nowMs += 11_000) {
      await health.refresh();
      expect(health.failing()).toEqual(["main"]);
    }
    stage.nowMs = 70_000;
    await health.refresh();
    expect(health.failing()).toEqual([]);
  });

  it("connects to the address of the upstream", async () => {
    const server = createServer();
    const port = await findFreePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const { stage, health } = createStage({ port });
    await health.refresh();
    expect(health.failing()).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
    stage.nowMs = 20_000;
    await health.refresh();
    expect(health.failing()).toEqual(["main"]);
  });
});

import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { describe, expect, it } from "vitest";
import { createStreamSlots } from "./event-stream.ts";

const GREEDY = "ten_greedy" as TenantId;
const QUIET = "ten_quiet" as TenantId;

function keyOf(tenantId: TenantId, number: number): Actor {
  return { type: "key", id: `key_${String(number)}`, tenantId, scopes: [] };
}

/** Opens streams of a tenant, each by a key of its own, until one is refused. */
function openAll(slots: ReturnType<typeof createStreamSlots>, tenantId: TenantId) {
  const releases: (() => void)[] = [];
  try {
    for (;;) {
      releases.push(slots.take(keyOf(tenantId, releases.length), tenantId));
    }
  } catch (error) {
    return { releases, error };
  }
}

describe("the streams of a process", () => {
  it("leave half to others, however many keys a tenant opens them with", () => {
    const slots = createStreamSlots(20);
    const greedy = openAll(slots, GREEDY);
    expect(greedy.releases).toHaveLength(10);
    expect(greedy.error).toMatchObject({ code: "TOO_MANY_STREAMS" });
    const quiet = openAll(slots, QUIET);
    expect(quiet.releases.length).toBeGreaterThanOrEqual(5);
    expect(quiet.error).toMatchObject({ code: "TOO_MANY_STREAMS" });
  });

  it("are refused to a tenant without any only when none is free", () => {
    const slots = createStreamSlots(4);
    const tenants = ["ten_1", "ten_2", "ten_3", "ten_4"].map((id) => id as TenantId);
    const releases = tenants.map((tenantId) => slots.take(keyOf(tenantId, 1), tenantId));
    expect(() => slots.take(keyOf(QUIET, 1), QUIET)).toThrow(
      expect.objectContaining({ code: "OVERLOADED" }),
    );
    releases[0]?.();
    slots.take(keyOf(QUIET, 1), QUIET)();
  });

  it("are free again once they are closed, and are six of one credential at most", () => {
    const slots = createStreamSlots();
    const take = () => slots.take(keyOf(GREEDY, 1), GREEDY);
    const releases = Array.from({ length: 6 }, take);
    expect(take).toThrow(expect.objectContaining({ code: "TOO_MANY_STREAMS" }));
    for (const release of releases) {
      release();
    }
    expect(Array.from({ length: 6 }, take)).toHaveLength(6);
  });
});

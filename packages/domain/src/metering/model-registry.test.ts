import { describe, expect, it } from "vitest";
import { createModelRegistry, isModelName, OTHER_MODEL } from "./model-registry.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const TOMORROW_MS = NOW_MS + 24 * 3600 * 1000;

function createRegistry(declared: readonly string[] = []) {
  return createModelRegistry({
    perTenantMax: 3,
    reservedPerTenant: 2,
    sharedMax: 1,
    declared: new Set(declared),
  });
}

const served = (name: string, nowMs = NOW_MS) => ({ name, isServed: true, nowMs });
const refused = (name: string) => ({ name, isServed: false, nowMs: NOW_MS });

describe("the model of a call", () => {
  it("is the name that it gives, once a call with that name was served", () => {
    const registry = createRegistry();
    expect(registry.modelOf("ten_a", refused("gpt-large"))).toBe(OTHER_MODEL);
    expect(registry.modelOf("ten_a", served("gpt-large"))).toBe("gpt-large");
    expect(registry.modelOf("ten_a", refused("gpt-large"))).toBe("gpt-large");
    // Another tenant learns nothing of it.
    expect(registry.modelOf("ten_b", refused("gpt-large"))).toBe(OTHER_MODEL);
  });

  it("is empty when the call gives none", () => {
    expect(createRegistry().modelOf("ten_a", served(""))).toBe("");
  });

  it("is bounded for each tenant and day, and names that no call succeeded with take no room", () => {
    const registry = createRegistry();
    for (let at = 0; at < 100; at += 1) {
      expect(registry.modelOf("ten_a", refused(`made-up-${String(at)}`))).toBe(OTHER_MODEL);
    }
    expect(["a", "b", "c", "d"].map((name) => registry.modelOf("ten_a", served(name)))).toEqual([
      "a",
      "b",
      "c",
      OTHER_MODEL,
    ]);
    // The room that tenants share is taken; their own is not.
    expect(["a", "b", "c"].map((name) => registry.modelOf("ten_b", served(name)))).toEqual([
      "a",
      "b",
      OTHER_MODEL,
    ]);
    expect(registry.modelOf("ten_a", served("d", TOMORROW_MS))).toBe("d");
  });

  it("is always known when the configuration names it", () => {
    const registry = createRegistry(["large"]);
    for (const name of ["a", "b", "c"]) {
      registry.modelOf("ten_a", served(name));
    }
    expect(registry.modelOf("ten_a", refused("large"))).toBe("large");
  });

  it("is no text of a customer: what has another form than a name is not kept", () => {
    const registry = createRegistry();
    const hostile = [
      "Jane Doe jane@example.com",
      "<script>",
      "=cmd()",
      "{other}",
      "a\u202eb",
      "a|b",
      "a,b",
      "a".repeat(101),
      "-a",
      "ä",
    ];
    expect(new Set(hostile.map((name) => registry.modelOf("ten_a", served(name))))).toEqual(
      new Set([OTHER_MODEL]),
    );
    const usual = ["gpt-4o-2024-08-06", "meta-llama/Llama-3.1-70B", "ft:gpt-4o:acme::7p4l", "a@1"];
    for (const name of usual) {
      expect(isModelName(name)).toBe(true);
    }
  });
});

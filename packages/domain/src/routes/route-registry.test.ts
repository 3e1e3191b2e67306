import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRouteRegistry, OTHER_ROUTE } from "./route-registry.ts";

const NOON_MS = Date.UTC(2026, 4, 1, 12);

describe("createRouteRegistry", () => {
  it("keeps the routes it has met, and counts further ones together", () => {
    const registry = createRouteRegistry({ perTenantMax: 2, reservedPerTenant: 0, sharedMax: 100 });
    expect(registry.routeOf("a", "/users/1", NOON_MS)).toBe("/users/{id}");
    expect(registry.routeOf("a", "/users", NOON_MS)).toBe("/users");
    expect(registry.routeOf("a", "/orders", NOON_MS)).toBe(OTHER_ROUTE);
    expect(registry.routeOf("a", "/users/2?x=1", NOON_MS)).toBe("/users/{id}");
  });

  it("does not let one tenant's paths take the place of another's", () => {
    const registry = createRouteRegistry({ perTenantMax: 3, reservedPerTenant: 1, sharedMax: 4 });
    for (const tenant of ["noisy", "loud", "shrill"]) {
      for (const name of "abcdefghij") {
        registry.routeOf(tenant, `/${name}`, NOON_MS);
      }
    }
    expect(registry.routeOf("calm", "/users", NOON_MS)).toBe("/users");
    expect(registry.routeOf("calm", "/orders", NOON_MS)).toBe(OTHER_ROUTE);
  });

  it("starts anew every day", () => {
    const registry = createRouteRegistry({ perTenantMax: 1, reservedPerTenant: 0, sharedMax: 1 });
    expect(registry.routeOf("a", "/old", NOON_MS)).toBe("/old");
    expect(registry.routeOf("a", "/new", NOON_MS)).toBe(OTHER_ROUTE);
    expect(registry.routeOf("a", "/new", NOON_MS + 12 * 3600 * 1000)).toBe("/new");
  });

  it("never tells more routes apart than it may, of any paths and tenants", () => {
    const limits = { perTenantMax: 5, reservedPerTenant: 2, sharedMax: 6 };
    const call = fc.record({ tenant: fc.constantFrom("a", "b", "c", "d"), path: fc.webPath() });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
        const registry = createRouteRegistry(limits);
        const met = new Map<string, Set<string>>();
        for (const { tenant, path } of calls) {
          const route = registry.routeOf(tenant, path, NOON_MS);
          if (route !== OTHER_ROUTE) {
            met.set(tenant, (met.get(tenant) ?? new Set()).add(route));
          }
        }
        const sizes = [...met.values()].map((routes) => routes.size);
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(limits.perTenantMax);
        const shared = sizes.map((size) => Math.max(0, size - limits.reservedPerTenant));
        expect(shared.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limits.sharedMax);
      }),
    );
  });
});

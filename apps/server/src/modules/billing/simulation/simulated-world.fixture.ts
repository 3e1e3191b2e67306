import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import type { Seller } from "@turnpike/domain/billing/tax/tax-decision";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createKey } from "#modules/keys/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { GERMAN_SELLER, toRate, toTaxedDeps } from "../testing/taxed.fixture.ts";
import { logWrites } from "./log-writes.fixture.ts";
import { simulatedCatalog } from "./simulated-plans.fixture.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** The 31st, before a February that has 29 days within two years. */
export const START_MS = Date.UTC(2027, 0, 31, 9, 30);
/** What a failure tells of what led to it. */
const STEPS_SHOWN = 25;

export type SimulatedTenant = { tenantId: TenantId; keys: readonly KeyId[] };

/** Rates of the Union, of which two change within the two years, one in the middle of a month. */
function toSeller(pricesInclude: Seller["pricesInclude"]): Seller {
  return {
    ...GERMAN_SELLER,
    pricesInclude,
    taxRates: [
      ...EU_RATES,
      toRate({ country: "DE", percent: "20", fromMs: Date.UTC(2027, 6, 1) }),
      toRate({ country: "FR", percent: "21.5", fromMs: Date.UTC(2028, 2, 17) }),
    ],
  };
}

/** An installation whose clock and chance belong to a seed: what happens in it is counted and noted. */
export class SimulatedWorld {
  readonly happened = new Map<string, number>();
  readonly seed: number;
  readonly database: TestDatabase;
  readonly deps: TestServices & BillingDeps;
  readonly tenants: SimulatedTenant[] = [];
  readonly #below: (count: number) => number;
  readonly #steps: string[] = [];

  private constructor(seed: number, database: TestDatabase) {
    this.seed = seed;
    this.database = database;
    this.#below = createBelow(seed);
    const pricesInclude = this.pick(["net", "gross"] as const);
    const services = createTestServices(database);
    const taxed = toTaxedDeps(services);
    this.deps = { ...taxed, billing: { ...taxed.billing, tax: toSeller(pricesInclude) } };
  }

  static async open({ seed, tenants }: { seed: number; tenants: number }): Promise<SimulatedWorld> {
    const world = new SimulatedWorld(seed, await createTestDatabase());
    await world.#populate(tenants);
    return world;
  }

  async #populate(tenants: number): Promise<void> {
    const { clock } = this.deps;
    clock.advance(START_MS - clock.now().getTime());
    await logWrites(this.database.sql);
    for (let place = 0; place < tenants; place += 1) {
      const { tenantId } = await createTestTenant(this.deps, `Tenant ${String(place)}`);
      const keys: KeyId[] = [];
      for (const name of ["First", "Second"]) {
        const { keyId } = await createKey(this.deps, OPERATOR_CONTEXT, {
          tenantId,
          name,
          environment: "live",
          scopes: [],
          metadata: {},
        });
        keys.push(keyId);
      }
      this.tenants.push({ tenantId, keys });
    }
    await applyCatalog(this.deps, OPERATOR_CONTEXT, simulatedCatalog(0));
  }

  get nowMs(): number {
    return this.deps.clock.now().getTime();
  }

  /** A whole number below a count. */
  below(count: number): number {
    return this.#below(count);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) {
      throw new Error("There is nothing to choose from.");
    }
    return item;
  }

  /** True in one of so many cases. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  count(what: string, times = 1): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + times);
  }

  note(step: string): void {
    this.#steps.push(step);
  }

  advance(ms: number): void {
    this.deps.clock.advance(ms);
    this.note(this.deps.clock.now().toISOString());
  }

  /** What led to here, and how to see it again. */
  describe({ file, settings = "" }: { file: string; settings?: string | undefined }): string {
    const steps = this.#steps.slice(-STEPS_SHOWN).join("\n");
    return `Seed ${String(this.seed)}, after\n${steps}\nAgain: ${settings}TURNPIKE_SEED=${String(this.seed)} npx vitest run --project unit ${file}`;
  }
}

import type { SubscriptionAction } from "@turnpike/contract/billing";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { applyCatalog } from "#modules/catalog/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { confirmAction } from "../subscriptions/confirm-action.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { recordUsage, toBillingDeps } from "../testing/billing.fixture.ts";
import { findViolations } from "./find-violations.fixture.ts";
import { replayAccounts } from "./replay-accounts.fixture.ts";
import { ADD_ON_IDS, PLAN_IDS, simulatedCatalog } from "./simulated-plans.fixture.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The 31st, before a February that has 29 days within two years. */
const START_MS = Date.UTC(2027, 0, 31, 9, 30);
/** What a failure tells of what led to it. */
const STEPS_SHOWN = 25;

export type SimulationSettings = {
  seed: number;
  tenants: number;
  months: number;
  /** Acts of customers at each moment. */
  actsMax: number;
  /** How far the clock moves from one moment to the next, at most. */
  jumpMaxMs: number;
};

/**
 * Tenants that do random things through the real use cases for months of a clock that is moved, while workers close periods. After
 * each moment everything that must hold of billing is checked; the same seed gives the same steps.
 */
export class Simulation {
  readonly happened = new Map<string, number>();
  readonly database: TestDatabase;
  readonly #settings: SimulationSettings;
  readonly #services: TestServices;
  readonly #deps: TestServices & BillingDeps;
  readonly #below: (count: number) => number;
  readonly #steps: string[] = [];
  readonly #tenants: TenantId[] = [];
  #edition = 0;

  private constructor(settings: SimulationSettings, database: TestDatabase) {
    this.#settings = settings;
    this.database = database;
    this.#services = createTestServices(database);
    this.#deps = toBillingDeps(this.#services);
    this.#below = createBelow(settings.seed);
  }

  static async open(settings: SimulationSettings): Promise<Simulation> {
    const simulation = new Simulation(settings, await createTestDatabase());
    await simulation.#prepare();
    return simulation;
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  get #nowMs(): number {
    return this.#services.clock.now().getTime();
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) {
      throw new Error("There is nothing to choose from.");
    }
    return item;
  }

  /** True in one of so many cases. */
  #oneIn(count: number): boolean {
    return this.#below(count) === 0;
  }

  #count(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }

  async #prepare(): Promise<void> {
    const { clock } = this.#services;
    clock.advance(START_MS - clock.now().getTime());
    await logWrites(this.database);
    for (let place = 0; place < this.#settings.tenants; place += 1) {
      const { tenantId } = await createTestTenant(this.#services, `Tenant ${String(place)}`);
      this.#tenants.push(tenantId);
    }
    await applyCatalog(this.#services, OPERATOR_CONTEXT, simulatedCatalog(0));
  }

  /** Lives through all months, then ends every subscription, so that all usage is billed. @throws {Error} With the seed and the last steps. */
  async run(): Promise<void> {
    const { months, jumpMaxMs, actsMax } = this.#settings;
    const endMs = START_MS + months * 30 * DAY_MS;
    try {
      while (this.#nowMs < endMs) {
        this.#advance(this.#below(jumpMaxMs / MINUTE_MS) * MINUTE_MS);
        const touched = await this.#liveThroughMoment(1 + this.#below(actsMax));
        await this.#check(touched);
      }
      await this.#end();
      await this.#check(this.#tenants);
      const differences = await replayAccounts(this.database.sql);
      if (differences.length > 0) {
        throw new Error(`Replayed from nothing:\n${differences.join("\n")}`);
      }
    } catch (error) {
      const steps = this.#steps.slice(-STEPS_SHOWN).join("\n");
      throw new Error(`Seed ${String(this.#settings.seed)}, after\n${steps}`, { cause: error });
    }
  }

  #advance(ms: number): void {
    this.#services.clock.advance(ms);
    this.#steps.push(this.#services.clock.now().toISOString());
  }

  async #check(touched: readonly TenantId[]): Promise<void> {
    const violations = await findViolations(this.database.sql, touched);
    if (violations.length > 0) {
      throw new Error(violations.join("\n"));
    }
  }

  /** @returns Whose accounts may have changed. */
  async #liveThroughMoment(acts: number): Promise<TenantId[]> {
    const touched: TenantId[] = [];
    for (let act = 0; act < acts; act += 1) {
      const tenantId = this.#pick(this.#tenants);
      touched.push(tenantId);
      await this.#actOf(tenantId);
    }
    if (this.#oneIn(40)) {
      this.#edition += 1;
      // What is asked for at one instant is of one edition.
      this.#advance(MINUTE_MS);
      this.#steps.push(`edition ${String(this.#edition)}`);
      await applyCatalog(this.#services, OPERATOR_CONTEXT, simulatedCatalog(this.#edition));
      this.#advance(MINUTE_MS);
    }
    if (this.#oneIn(2)) {
      await this.#closeByWorkers(1 + this.#below(3));
      return this.#tenants;
    }
    return touched;
  }

  async #closeByWorkers(workers: number): Promise<void> {
    this.#steps.push(`close by ${String(workers)}`);
    const closed = await Promise.all(Array.from({ length: workers }, () => closeDue(this.#deps)));
    for (const { closed: count } of closed) {
      this.happened.set("closed", (this.happened.get("closed") ?? 0) + count);
    }
  }

  async #actOf(tenantId: TenantId): Promise<void> {
    if (this.#oneIn(2)) {
      await this.#use(tenantId);
      return;
    }
    const outcome = await this.#ask(tenantId, this.#chooseAction());
    if (outcome === "no_subscription") {
      await this.#ask(tenantId, { do: "subscribe", planId: this.#pick(PLAN_IDS) });
    }
    // Often something else follows at the same instant: a change of mind, or of plan and seats.
    if (this.#oneIn(4)) {
      await this.#use(tenantId);
      await this.#ask(tenantId, this.#chooseAction());
    }
  }

  #chooseAction(): SubscriptionAction {
    const when = this.#pick(["now", "period_end"] as const);
    const proration = this.#oneIn(3)
      ? undefined
      : this.#pick(["time", "largerOfTimeOrQuota", "nextPeriod", "none"] as const);
    const planId = this.#pick(PLAN_IDS);
    return this.#pick<SubscriptionAction>([
      { do: "subscribe", planId },
      { do: "subscribe", planId },
      { do: "change", planId, when, proration },
      { do: "change", planId, when, proration },
      { do: "change", planId, proration },
      {
        do: "seats",
        card: this.#pick(["base", "seats", "support"]),
        quantity: this.#pick(["0", "1", "3", "2.5"]),
        proration,
      },
      { do: "addOn", planId: this.#pick(ADD_ON_IDS), proration },
      { do: "removeAddOn", planId: this.#pick(ADD_ON_IDS), proration },
      { do: "cancel", when, proration },
      { do: "uncancel" },
      { do: "pause", when, proration },
      { do: "resume" },
      { do: "resume" },
    ]);
  }

  /** Quotes and confirms; now and then minutes pass between, in which usage goes on and periods may end. */
  async #ask(tenantId: TenantId, action: SubscriptionAction): Promise<string> {
    const input = { tenantId, environment: "live" as const, action };
    let outcome = "done";
    try {
      let { at, hash } = await quoteAction(this.#deps, OPERATOR_CONTEXT, input);
      if (this.#oneIn(4)) {
        this.#advance(this.#below(12) * MINUTE_MS);
        await this.#use(tenantId);
      }
      try {
        await confirmAction(this.#deps, OPERATOR_CONTEXT, { ...input, at, hash });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "QUOTE_CHANGED") {
          throw error;
        }
        this.#count("quoted again");
        ({ at, hash } = await quoteAction(this.#deps, OPERATOR_CONTEXT, input));
        await confirmAction(this.#deps, OPERATOR_CONTEXT, { ...input, at, hash });
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "INTERNAL_ERROR") {
        throw error;
      }
      outcome = String(error.extensions["reason"] ?? error.code);
    }
    this.#count(outcome === "done" ? action.do : "refused");
    this.#steps.push(`${tenantId} ${JSON.stringify(action)}: ${outcome}`);
    return outcome;
  }

  /** Usage of now, of either side of a boundary, or recorded late. */
  async #use(tenantId: TenantId): Promise<void> {
    const at = new Date(Math.min(await this.#chooseInstant(tenantId), this.#nowMs));
    const meterId = this.#pick(["requests", "requests", "tokens"]);
    const quantity = 1 + this.#below(this.#oneIn(3) ? 400 : 20);
    await recordUsage(this.#services, { tenantId, at, meterId, quantity });
    this.#count("usage");
    this.#steps.push(`${tenantId} uses ${String(quantity)} ${meterId} at ${at.toISOString()}`);
  }

  async #chooseInstant(tenantId: TenantId): Promise<number> {
    const [account] = await this.database.sql<{ from: Date; to: Date }[]>`
      select period_from as "from", period_to as "to" from billing_accounts where tenant_id = ${tenantId}`;
    const edgeMs = this.#pick([-MINUTE_MS, 0, MINUTE_MS]);
    switch (this.#below(5)) {
      case 0:
        return (account?.from.getTime() ?? this.#nowMs) + edgeMs;
      case 1:
        return (account?.to.getTime() ?? this.#nowMs) + edgeMs;
      case 2:
        return this.#nowMs - this.#below(70) * DAY_MS - this.#below(60) * MINUTE_MS;
      default:
        return this.#nowMs - this.#below(3) * MINUTE_MS;
    }
  }

  async #end(): Promise<void> {
    for (const tenantId of this.#tenants) {
      await this.#ask(tenantId, { do: "resume" });
      await this.#ask(tenantId, { do: "cancel", when: "now", proration: "time" });
    }
    this.#advance(40 * DAY_MS);
    await this.#closeByWorkers(2);
  }
}

/** Keeps what each write of an account was: where in time it led, up to where usage was in it, and what had been asked for. */
async function logWrites({ sql }: TestDatabase): Promise<void> {
  await sql.unsafe(`
    create table simulated_writes (
      tenant_id text, environment text, revision bigint, advanced_to timestamptz, fed_to timestamptz, events int,
      primary key (tenant_id, environment, revision)
    );
    create function log_write() returns trigger language plpgsql security definer as $$
    begin
      insert into public.simulated_writes values
        (new.tenant_id, new.environment, new.revision, new.advanced_to, new.fed_to, new.events);
      return null;
    end
    $$;
    create trigger log_write after insert or update on billing_accounts for each row execute function log_write();
  `);
}

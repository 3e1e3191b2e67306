import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { applyCatalog } from "#modules/catalog/index.ts";
import { closeDue } from "../closing/close-due.ts";
import { checkParts } from "./check-parts.fixture.ts";
import { actAsCustomer, ask } from "./customer-acts.fixture.ts";
import { findViolations } from "./find-violations.fixture.ts";
import { actAsOperator } from "./operator-acts.fixture.ts";
import { replayAccounts } from "./replay-accounts.fixture.ts";
import { simulatedCatalog } from "./simulated-plans.fixture.ts";
import {
  DAY_MS,
  MINUTE_MS,
  type SimulatedTenant,
  SimulatedWorld,
  START_MS,
} from "./simulated-world.fixture.ts";

export type SimulationSettings = {
  seed: number;
  tenants: number;
  months: number;
  /** Acts of customers and operators at each moment. */
  actsMax: number;
  /** How far the clock moves from one moment to the next, at most. */
  jumpMaxMs: number;
  /** How many lines are opened at the end. */
  linesOpened: number;
  /** The test, for the command that repeats it. */
  file: string;
  /** What the environment needs beside the seed, with a blank at the end. */
  settings?: string;
};

/**
 * Tenants that do random things through the real use cases for months of a clock that is moved, while operators pay, credit and void
 * and workers close periods. After each moment everything that must hold of billing is checked; the same seed gives the same steps.
 */
export class Simulation {
  readonly world: SimulatedWorld;
  readonly #settings: SimulationSettings;
  #edition = 0;

  private constructor(settings: SimulationSettings, world: SimulatedWorld) {
    this.#settings = settings;
    this.world = world;
  }

  static async open(settings: SimulationSettings): Promise<Simulation> {
    return new Simulation(settings, await SimulatedWorld.open(settings));
  }

  async close(): Promise<void> {
    await this.world.database.close();
  }

  /** Lives through all months, then ends every subscription, so that all usage is billed. @throws {Error} With the seed and the last steps. */
  async run(): Promise<void> {
    const { months, jumpMaxMs, actsMax, linesOpened, file, settings } = this.#settings;
    const { world } = this;
    const endMs = START_MS + months * 30 * DAY_MS;
    try {
      while (world.nowMs < endMs) {
        world.advance(world.below(jumpMaxMs / MINUTE_MS) * MINUTE_MS);
        await this.#check(await this.#liveThroughMoment(1 + world.below(actsMax)));
      }
      await this.#end();
      await this.#check(world.tenants);
      fail("Opened lines", await checkParts(world, { samples: linesOpened }));
      fail("Replayed from nothing", await replayAccounts(world));
    } catch (error) {
      throw new Error(world.describe({ file, settings }), { cause: error });
    }
  }

  async #check(touched: readonly SimulatedTenant[]): Promise<void> {
    const { database, deps } = this.world;
    const tenantIds = touched.map(({ tenantId }) => tenantId);
    const lines = deps.billing.tax?.pricesInclude ?? "net";
    fail("After a moment", await findViolations(database.sql, tenantIds, lines));
  }

  /** @returns Whose accounts may have changed. */
  async #liveThroughMoment(acts: number): Promise<readonly SimulatedTenant[]> {
    const { world } = this;
    const touched: SimulatedTenant[] = [];
    for (let act = 0; act < acts; act += 1) {
      const tenant = world.pick(world.tenants);
      touched.push(tenant);
      await (world.oneIn(3) ? actAsOperator(world, tenant) : actAsCustomer(world, tenant));
    }
    if (world.oneIn(40)) {
      await this.#publish();
    }
    if (world.oneIn(2)) {
      await this.#closeByWorkers(1 + world.below(3));
      return world.tenants;
    }
    return touched;
  }

  /** What is asked for at one instant is of one edition. */
  async #publish(): Promise<void> {
    const { world } = this;
    this.#edition += 1;
    world.advance(MINUTE_MS);
    world.note(`edition ${String(this.#edition)}`);
    await applyCatalog(world.deps, OPERATOR_CONTEXT, simulatedCatalog(this.#edition));
    world.advance(MINUTE_MS);
  }

  async #closeByWorkers(workers: number): Promise<void> {
    const { world } = this;
    world.note(`close by ${String(workers)}`);
    const closed = await Promise.all(Array.from({ length: workers }, () => closeDue(world.deps)));
    world.count(
      "closed",
      closed.reduce((sum, { closed: count }) => sum + count, 0),
    );
  }

  async #end(): Promise<void> {
    const { world } = this;
    for (const tenant of world.tenants) {
      await ask(world, tenant, { do: "resume" });
      await ask(world, tenant, { do: "cancel", when: "now", proration: "time" });
    }
    world.advance(40 * DAY_MS);
    await this.#closeByWorkers(2);
  }
}

function fail(when: string, faults: readonly string[]): void {
  if (faults.length > 0) {
    throw new Error(`${when}:\n${faults.join("\n")}`);
  }
}

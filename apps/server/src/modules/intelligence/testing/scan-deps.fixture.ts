import type { TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { toBillingDeps } from "#modules/billing/testing/billing.fixture.ts";
import { createForecasterHere } from "../forecasts/forecaster.ts";
import { findIncidentsHere } from "../incident-finder.ts";
import type { ScanDeps } from "../scan-tenant.ts";

/** What a look at tenants needs, ten minutes after the begin of an hour: the one before has settled. */
export function openScanDeps(database: TestDatabase): TestServices & ScanDeps {
  const services = createTestServices(database);
  services.clock.advance(10 * 60_000);
  const forecaster = createForecasterHere();
  return { ...toBillingDeps(services), findIncidents: findIncidentsHere, forecaster };
}

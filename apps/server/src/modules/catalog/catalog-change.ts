import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";

/** The state that meters and plans are brought to. */
export type CatalogChange = {
  meters: readonly MeterDefinition[];
  plans: readonly (PlanTerms & { planId: string })[];
  defaultPlanId?: string | undefined;
};

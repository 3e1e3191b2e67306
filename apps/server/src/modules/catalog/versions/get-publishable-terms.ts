import type { Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { findPlanRow, listMeterRows } from "../catalog.store.ts";
import { toTerms } from "../to-terms.ts";
import { getTermsOf, type PlanSide } from "./diff-plan-versions.ts";
import { findDraftFaults } from "./find-draft-faults.ts";

/**
 * The terms of a published version, or those that the draft would be published with.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INVALID_REQUEST` for a draft with faults.
 */
export async function getPublishableTerms(
  tx: Tx,
  planId: string,
  side: PlanSide,
): Promise<PlanTerms> {
  const terms = await getTermsOf(tx, planId, side);
  if (side !== "draft") {
    return terms;
  }
  const meters = await listMeterRows(tx);
  const before = await findPlanRow(tx, planId);
  const errors = findDraftFaults({ planId, terms, meters, before });
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
  return toTerms({ planId, ...terms }, meters);
}

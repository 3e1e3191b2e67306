import { implement } from "@orpc/server";
import { catalogContract } from "@turnpike/contract/catalog";
import { couponsContract } from "@turnpike/contract/coupons";
import { planVersionsContract } from "@turnpike/contract/plan-versions";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { applyCatalog } from "./apply-catalog.ts";
import { archiveCoupon, createCoupon, listCoupons } from "./coupons/manage-coupons.ts";
import { createMeter } from "./create-meter.ts";
import { listMeters, listMeterVersions, toMeterReply } from "./list-meters.ts";
import { listPlans } from "./list-plans.ts";
import { updateMeter } from "./update-meter.ts";
import { archivePlan, restorePlan } from "./versions/archive-plan.ts";
import { diffPlanVersions } from "./versions/diff-plan-versions.ts";
import { getPlanVersion, listPlanVersions } from "./versions/list-plan-versions.ts";
import { getPlanDraft, listPlanDrafts } from "./versions/read-plan-drafts.ts";
import { deletePlanDraft, publishPlanDraft, putPlanDraft } from "./versions/write-plan-draft.ts";

export function createCatalogRoutes(deps: AppServices) {
  const os = implement({
    ...catalogContract,
    ...planVersionsContract,
    ...couponsContract,
  }).$context<HttpContext>();
  return os.router({
    listPlans: os.listPlans.handler(({ context }) => listPlans(deps, context.findCall())),
    listMeters: os.listMeters.handler(({ context }) => listMeters(deps, context.findCall())),
    createMeter: os.createMeter.handler(async ({ input, context }) =>
      toMeterReply(await createMeter(deps, context.call(), input)),
    ),
    updateMeter: os.updateMeter.handler(async ({ input, context }) =>
      toMeterReply(await updateMeter(deps, context.call(), input)),
    ),
    listMeterVersions: os.listMeterVersions.handler(({ input, context }) =>
      listMeterVersions(deps, context.call(), input),
    ),
    listPlanVersions: os.listPlanVersions.handler(({ input, context }) =>
      listPlanVersions(deps, context.call(), input),
    ),
    getPlanVersion: os.getPlanVersion.handler(({ input, context }) =>
      getPlanVersion(deps, context.call(), input),
    ),
    diffPlanVersions: os.diffPlanVersions.handler(({ input, context }) =>
      diffPlanVersions(deps, context.call(), input),
    ),
    listPlanDrafts: os.listPlanDrafts.handler(({ context }) =>
      listPlanDrafts(deps, context.call()),
    ),
    getPlanDraft: os.getPlanDraft.handler(({ input, context }) =>
      getPlanDraft(deps, context.call(), input),
    ),
    putPlanDraft: os.putPlanDraft.handler(({ input, context }) =>
      putPlanDraft(deps, context.call(), input),
    ),
    deletePlanDraft: os.deletePlanDraft.handler(({ input, context }) =>
      deletePlanDraft(deps, context.call(), { ...input.params, ...input.query }),
    ),
    publishPlanDraft: os.publishPlanDraft.handler(({ input, context }) =>
      publishPlanDraft(deps, context.call(), input),
    ),
    archivePlan: os.archivePlan.handler(({ input, context }) =>
      archivePlan(deps, context.call(), input),
    ),
    restorePlan: os.restorePlan.handler(({ input, context }) =>
      restorePlan(deps, context.call(), input),
    ),
    listCoupons: os.listCoupons.handler(({ context }) => listCoupons(deps, context.call())),
    createCoupon: os.createCoupon.handler(({ input, context }) =>
      createCoupon(deps, context.call(), input),
    ),
    archiveCoupon: os.archiveCoupon.handler(({ input, context }) =>
      archiveCoupon(deps, context.call(), input),
    ),
    apply: os.apply.handler(({ input, context }) => applyCatalog(deps, context.call(), input)),
  });
}

import type { SubscriptionAction } from "@turnpike/contract/billing";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { may } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { findPlanVersion, listVersionTerms } from "#modules/catalog/index.ts";
import type { ActionTarget } from "./to-step.ts";

function refuse(pointer: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}

async function findPlan(
  tx: Tx,
  { actor }: CallContext,
  { planId, isAddOn }: { planId: string; isAddOn: boolean },
): Promise<ActionTarget["plan"]> {
  const pointer = "/action/planId";
  const newest = await findPlanVersion(tx, planId);
  const [found] = newest === undefined ? [] : await listVersionTerms(tx, [newest]);
  const isOperator = may(actor, "tenants:write");
  const isSeen = found !== undefined && (found.terms.visibility === "public" || isOperator);
  if (
    newest === undefined ||
    found === undefined ||
    !isSeen ||
    (newest.isArchived && !isOperator)
  ) {
    throw refuse(pointer, "There is no such plan on offer.");
  }
  if (newest.isAddOn !== isAddOn) {
    throw refuse(
      pointer,
      isAddOn
        ? "This is a plan of its own: change to it, or choose an add-on."
        : "This is an add-on: add it to a plan.",
    );
  }
  return { planId, version: newest.version, currency: found.terms.currency };
}

/** Finds what an action names. @throws {AppError} `INVALID_REQUEST` for what is not on offer to the actor. */
export async function findTarget(
  tx: Tx,
  context: CallContext,
  action: SubscriptionAction,
): Promise<ActionTarget> {
  switch (action.do) {
    case "subscribe":
    case "change":
    case "addOn": {
      const input = { planId: action.planId, isAddOn: action.do === "addOn" };
      return { plan: await findPlan(tx, context, input), coupon: undefined };
    }
    case "coupon":
      throw refuse("/action/couponId", "There is no such coupon.");
    default:
      return { plan: undefined, coupon: undefined };
  }
}

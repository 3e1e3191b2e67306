import { toSuggestion } from "../../text/suggest.ts";
import { recordStates } from "../lifecycle/advance.ts";
import { couponStep, grantStep, taxIdStep } from "./credit-steps.ts";
import { creditNoteStep, paymentFailsStep, payStep, voidStep } from "./invoice-steps.ts";
import { type StepAction, StepRefused } from "./step.ts";
import {
  addOnStep,
  cancelStep,
  changeStep,
  pauseStep,
  resumeStep,
  seatsStep,
  subscribeStep,
  uncancelStep,
} from "./subscription-steps.ts";
import { capStep, useStep } from "./usage-steps.ts";

const ACTIONS: ReadonlyMap<string, StepAction> = new Map([
  ["subscribe", subscribeStep],
  ["change", changeStep],
  ["seats", seatsStep],
  ["addOn", addOnStep],
  ["cancel", cancelStep],
  ["uncancel", uncancelStep],
  ["pause", pauseStep],
  ["resume", resumeStep],
  ["use", useStep],
  ["coupon", couponStep],
  ["grant", grantStep],
  ["pay", payStep],
  ["paymentFails", paymentFailsStep],
  ["creditNote", creditNoteStep],
  ["void", voidStep],
  ["cap", capStep],
  ["taxId", taxIdStep],
]);

/**
 * Does one step of a story to an account.
 *
 * @throws {StepRefused} When it cannot be done; the account is as it was.
 * @throws {NoTaxRate} When the table of rates has none for a line.
 */
export const doStep: StepAction = (account, step) => {
  const name = String(step.members["do"]);
  const action = ACTIONS.get(name);
  if (action === undefined) {
    const known = [...ACTIONS.keys()];
    throw new StepRefused(
      "unknown_step",
      `There is no step ${name}: use one of ${known.join(", ")}.${toSuggestion(name, known)}`,
    );
  }
  return recordStates(action(account, step), step.atMs);
};

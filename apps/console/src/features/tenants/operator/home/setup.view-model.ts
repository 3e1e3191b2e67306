/** What is known of an installation; undefined while it is not known. */
export type SetupFacts = {
  isDemo: boolean;
  /** Whether all configured upstreams answer. */
  doUpstreamsAnswer: boolean | undefined;
  /** Whether the portal has a name of its own. */
  hasBrand: boolean | undefined;
  /** Whether a plan has a price, and all that have one are the operator's own, not the samples. */
  hasOwnPrices: boolean | undefined;
  hasTenants: boolean | undefined;
  hasCalls: boolean | undefined;
};

export const SETUP_STEPS = ["connect", "brand", "plans", "customer", "call"] as const;
export type SetupStepId = (typeof SETUP_STEPS)[number];
export type SetupStep = { id: SetupStepId; isDone: boolean };

/**
 * What an operator still has to do before the first paid call. Calls of the demo API do not connect one's own.
 *
 * @returns Undefined while anything is unknown, so that the steps never appear and then go away.
 */
export function toSetupSteps(facts: SetupFacts): readonly SetupStep[] | undefined {
  const { isDemo, doUpstreamsAnswer, hasBrand, hasOwnPrices, hasTenants, hasCalls } = facts;
  if (
    doUpstreamsAnswer === undefined ||
    hasBrand === undefined ||
    hasOwnPrices === undefined ||
    hasTenants === undefined ||
    hasCalls === undefined
  ) {
    return;
  }
  const done: Readonly<Record<SetupStepId, boolean>> = {
    connect: !isDemo && doUpstreamsAnswer,
    brand: hasBrand,
    plans: hasOwnPrices,
    customer: hasTenants,
    call: hasCalls,
  };
  return SETUP_STEPS.map((id) => ({ id, isDone: done[id] }));
}

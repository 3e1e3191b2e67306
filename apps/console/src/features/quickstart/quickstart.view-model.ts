import { STEP_IDS, type StepId } from "#platform/quickstart-progress.ts";

/** What can be seen of the steps right now; undefined while it is not known. */
export type Facts = {
  hasTenant: boolean;
  hasKey: boolean | undefined;
  /** Calls of the tenant that were ever recorded, without those to a path that the API does not have. */
  calls: number | undefined;
  hasTeammate: boolean | undefined;
  /** The plan is another than the one everybody starts on. */
  hasChosenPlan: boolean | undefined;
};

export type StepState = "finished" | "current" | "waiting";
export type Step = { id: StepId; state: StepState };

function isDone(id: StepId, facts: Facts): boolean {
  switch (id) {
    case "tenant":
      return facts.hasTenant;
    case "key":
      return facts.hasKey === true;
    case "call":
    case "arrival":
      return (facts.calls ?? 0) > 0;
    case "next":
      return facts.hasTeammate === true || facts.hasChosenPlan === true;
    default:
      return id satisfies never;
  }
}

/**
 * Says where a person stands. A finished step stays finished, also when what finished it is gone: a revoked key takes
 * nothing back. Exactly one of the others is the current one: the first.
 *
 * @param remembered - Steps that were finished before, on any device.
 */
export function toSteps(facts: Facts, remembered: readonly StepId[]): readonly Step[] {
  const isFinished = (id: StepId) => remembered.includes(id) || isDone(id, facts);
  const current = STEP_IDS.find((id) => !isFinished(id));
  return STEP_IDS.map((id) => ({
    id,
    state: isFinished(id) ? "finished" : id === current ? "current" : "waiting",
  }));
}

/**
 * The steps to remember anew.
 *
 * @returns Undefined when nothing was finished that is not remembered already.
 */
export function toRemember(
  steps: readonly Step[],
  remembered: readonly StepId[],
): readonly StepId[] | undefined {
  const finished = steps.flatMap(({ id, state }) => (state === "finished" ? [id] : []));
  return finished.every((id) => remembered.includes(id))
    ? undefined
    : STEP_IDS.filter((id) => remembered.includes(id) || finished.includes(id));
}

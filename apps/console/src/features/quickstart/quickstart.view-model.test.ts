import { describe, expect, it } from "vitest";
import { STEP_IDS } from "#platform/quickstart-progress.ts";
import { type Facts, toRemember, toSteps } from "./quickstart.view-model.ts";

const NOTHING: Facts = {
  hasTenant: false,
  hasKey: undefined,
  calls: undefined,
  hasTeammate: undefined,
  hasChosenPlan: undefined,
};

const statesOf = (facts: Partial<Facts>, remembered: Parameters<typeof toSteps>[1] = []) =>
  toSteps({ ...NOTHING, ...facts }, remembered).map(({ state }) => state);

describe("toSteps", () => {
  it("begins with the tenant and makes the rest wait", () => {
    expect(statesOf({})).toEqual(["current", "waiting", "waiting", "waiting", "waiting"]);
  });

  it("finishes call and arrival together, as the first call is both", () => {
    expect(statesOf({ hasTenant: true, hasKey: true, calls: 0 })).toEqual([
      "finished",
      "finished",
      "current",
      "waiting",
      "waiting",
    ]);
    expect(statesOf({ hasTenant: true, hasKey: true, calls: 1 })).toEqual([
      "finished",
      "finished",
      "finished",
      "finished",
      "current",
    ]);
  });

  it("ends by a teammate or by a plan", () => {
    const done = { hasTenant: true, hasKey: true, calls: 3 };
    for (const last of [{ hasTeammate: true }, { hasChosenPlan: true }]) {
      expect(statesOf({ ...done, ...last })).toEqual(STEP_IDS.map(() => "finished"));
    }
  });

  it("keeps a finished step finished when what finished it is gone", () => {
    expect(statesOf({ hasTenant: true, hasKey: false, calls: 0 }, ["tenant", "key"])).toEqual([
      "finished",
      "finished",
      "current",
      "waiting",
      "waiting",
    ]);
  });

  it("has at most one current step, after any finished ones", () => {
    for (let mask = 0; mask < 2 ** STEP_IDS.length; mask += 1) {
      const remembered = STEP_IDS.filter((_, index) => (mask >> index) % 2 === 1);
      const current = statesOf({}, remembered).filter((state) => state === "current");
      expect(current).toHaveLength(remembered.length === STEP_IDS.length ? 0 : 1);
    }
  });
});

describe("toRemember", () => {
  it("asks to remember what is new, with what was remembered", () => {
    const steps = toSteps({ ...NOTHING, hasTenant: true }, ["key"]);
    expect(toRemember(steps, ["key"])).toEqual(["tenant", "key"]);
  });

  it("asks for nothing when nothing is new", () => {
    expect(toRemember(toSteps({ ...NOTHING, hasTenant: true }, []), ["tenant"])).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { toSandboxSteps } from "./sandbox-steps.view-model.ts";

describe("toSandboxSteps", () => {
  it("leads to the ends that lie ahead, then by day, week and month of the calendar", () => {
    const steps = toSandboxSteps("2027-01-31T12:00:00.000Z", {
      trialEndsAt: "2027-01-20T12:00:00.000Z",
      periodTo: "2027-02-20T12:00:00.000Z",
    });
    expect(steps.map(({ label, to }) => `${label}: ${to}`)).toEqual([
      "To the end of the period, Feb 20, 2027: 2027-02-20T12:00:00.000Z",
      "1 day: 2027-02-01T12:00:00.000Z",
      "1 week: 2027-02-07T12:00:00.000Z",
      "1 month: 2027-02-28T12:00:00.000Z",
    ]);
  });

  it("leads to the end of a trial once, which is that of its period", () => {
    const end = "2027-02-14T12:00:00.000Z";
    const [first, second] = toSandboxSteps("2027-01-31T12:00:00.000Z", {
      trialEndsAt: end,
      periodTo: end,
    });
    expect(first).toEqual({
      key: "trial",
      label: "To the end of the trial, Feb 14, 2027",
      to: end,
    });
    expect(second?.key).toBe("day");
  });

  it("has fixed steps alone without a subscription", () => {
    expect(toSandboxSteps("2027-01-31T12:00:00.000Z", undefined)).toHaveLength(3);
  });
});

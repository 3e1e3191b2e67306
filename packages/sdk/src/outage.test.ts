import fc from "fast-check";
import { expect, it } from "vitest";
import { createOutage, FAILURES_UNTIL_SKIP, PROBE_INTERVAL_MS } from "./outage.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("expose" as const) }),
  fc.record({ kind: fc.constant("verified" as const) }),
  fc.record({ kind: fc.constant("given_up" as const) }),
  fc.record({ kind: fc.constant("fail" as const) }),
  fc.record({ kind: fc.constant("answer" as const) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 4_000 }) }),
);

it("never has more calls on trust than allowed, nor lets one pass after its time", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 10 }),
      (steps, callsMax, secondsMax) => {
        let nowMs = 0;
        let startedAtMs: number | undefined;
        let open = 0;
        let passedInOutage = 0;
        let verifiedInOutage = 0;
        const outage = createOutage({ callsMax, secondsMax }, () => nowMs);
        for (const each of steps) {
          if (each.kind === "wait") {
            nowMs += each.ms;
          } else if (each.kind === "fail") {
            startedAtMs ??= nowMs;
            outage.noteFailure();
          } else if (each.kind === "answer") {
            startedAtMs = undefined;
            passedInOutage = open;
            verifiedInOutage = 0;
            outage.noteAnswer();
          } else if (each.kind === "expose") {
            if (outage.tryExpose()) {
              open += 1;
              passedInOutage += 1;
              expect(open).toBeLessThanOrEqual(callsMax);
              expect(passedInOutage - verifiedInOutage).toBeLessThanOrEqual(callsMax);
              if (startedAtMs !== undefined) {
                expect(nowMs - startedAtMs).toBeLessThan(secondsMax * 1_000);
              }
            }
          } else if (open > 0) {
            open -= 1;
            if (each.kind === "verified" || startedAtMs === undefined) {
              verifiedInOutage += 1;
            }
            outage.settle(each.kind);
          }
        }
      },
    ),
  );
});

it("spares calls the wait after some failures in a row, and lets one ask in each interval", () => {
  let nowMs = 0;
  const outage = createOutage({ callsMax: 1, secondsMax: 1 }, () => nowMs);
  for (let failures = 1; failures <= FAILURES_UNTIL_SKIP; failures += 1) {
    expect(outage.shouldSkip()).toBe(false);
    outage.noteFailure();
  }
  expect(outage.shouldSkip()).toBe(true);
  nowMs += PROBE_INTERVAL_MS;
  expect([outage.shouldSkip(), outage.shouldSkip()]).toEqual([false, true]);
  outage.noteAnswer();
  expect(outage.shouldSkip()).toBe(false);
});

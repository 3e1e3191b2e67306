import fc from "fast-check";
import { expect, it } from "vitest";
import { createOutages, FAILURES_UNTIL_SKIP, PROBE_INTERVAL_MS } from "./outage.ts";

const of = fc.constantFrom("remembered" as const, "written" as const);
const step = fc.oneof(
  fc.record({ kind: fc.constant("expose" as const), of }),
  fc.record({ kind: fc.constant("verified" as const), of }),
  fc.record({ kind: fc.constant("given_up" as const), of }),
  fc.record({ kind: fc.constant("fail" as const), of }),
  fc.record({ kind: fc.constant("answer" as const), of }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 4_000 }) }),
);

/** What is known of the outage of one kind of question. */
type Known = { startedAtMs: number | undefined; givenUp: number };

it("never has more calls on trust than allowed, nor lets one pass after its time, for both kinds of question", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 10 }),
      (steps, callsMax, secondsMax) => {
        let nowMs = 0;
        let open = 0;
        const remembered: Known = { startedAtMs: undefined, givenUp: 0 };
        const written: Known = { startedAtMs: undefined, givenUp: 0 };
        const known = { remembered, written };
        const outages = createOutages({ callsMax, secondsMax }, () => nowMs);
        for (const each of steps) {
          if (each.kind === "wait") {
            nowMs += each.ms;
            continue;
          }
          const outage = outages[each.of];
          const own = known[each.of];
          if (each.kind === "fail") {
            own.startedAtMs ??= nowMs;
            outage.recordFailure();
          } else if (each.kind === "answer") {
            for (const ended of each.of === "written" ? [remembered, written] : [remembered]) {
              Object.assign(ended, { startedAtMs: undefined, givenUp: 0 });
            }
            outage.recordAnswer();
          } else if (each.kind === "expose") {
            const isInTime =
              own.startedAtMs === undefined || nowMs - own.startedAtMs < secondsMax * 1_000;
            const taken = open + remembered.givenUp + written.givenUp;
            const isExposed = outage.tryExpose();
            expect(isExposed).toBe(isInTime && taken < callsMax);
            open += Number(isExposed);
          } else if (open > 0) {
            open -= 1;
            own.givenUp += Number(each.kind === "given_up" && own.startedAtMs !== undefined);
            outage.settle(each.kind);
          }
        }
      },
    ),
  );
});

it("spares calls the wait after some failures in a row, and lets one ask in each interval", () => {
  let nowMs = 0;
  const { written, remembered } = createOutages({ callsMax: 1, secondsMax: 1 }, () => nowMs);
  for (let failures = 1; failures <= FAILURES_UNTIL_SKIP; failures += 1) {
    expect(written.shouldSkip()).toBe(false);
    written.recordFailure();
  }
  expect(written.shouldSkip()).toBe(true);
  expect(remembered.shouldSkip()).toBe(false);
  nowMs += PROBE_INTERVAL_MS;
  expect([written.shouldSkip(), written.shouldSkip()]).toEqual([false, true]);
  remembered.recordAnswer();
  expect(written.shouldSkip()).toBe(true);
  written.recordAnswer();
  expect(written.shouldSkip()).toBe(false);
});

it("ends the outage of all questions with an answer to one that is written down", () => {
  const { written, remembered } = createOutages({ callsMax: 1, secondsMax: 1 }, () => 0);
  for (let failures = 1; failures <= FAILURES_UNTIL_SKIP; failures += 1) {
    remembered.recordFailure();
  }
  expect(remembered.shouldSkip()).toBe(true);
  written.recordAnswer();
  expect(remembered.shouldSkip()).toBe(false);
});

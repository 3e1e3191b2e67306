import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, createAccount } from "../account/account.ts";
import { readStory } from "../rehearsal/read-story.ts";
import { doStep } from "../steps/do-step.ts";
import { passTime } from "./pass-time.ts";
import { accessByDueDates, listReminders, nextReminderMs, type Reminder } from "./reminders.ts";

const START_MS = Date.UTC(2026, 0, 15, 10);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function openAccount(phases: object[]): Account {
  const read = readStory({
    currency: "EUR",
    catalog: { meters: [], plans: [{ planId: "a", phases }] },
    story: [],
  });
  if ("faults" in read) {
    throw new Error(read.faults.map(({ message }) => message).join(" "));
  }
  const account = createAccount(read.story.terms, read.story.customer);
  return doStep(account, { members: { do: "subscribe", plan: "a" }, atMs: START_MS });
}

const fee = (interval: object) => ({
  rateCards: [{ key: "base", price: { model: "flat", amount: "10" }, interval, timing: "advance" }],
});
const trial = (days: number) => [{ duration: { days }, rateCards: [] }, fee({ month: 1 })];
const none = () => undefined;
/** Two weeks after they are issued. */
const dueDates = ({ issuedAtMs }: { issuedAtMs: number }) => issuedAtMs + 14 * DAY_MS;

/** Lets time pass in spans and collects what to remind of. */
function collect(account: Account, stops: readonly number[], due = dueDates): Reminder[] {
  const reminders: Reminder[] = [];
  let current = account;
  let fromMs = START_MS;
  for (const toMs of stops) {
    current = passTime(current, {
      fromMs,
      toMs,
      usages: [],
      onSpan: (at, span) => {
        reminders.push(
          ...listReminders(at, due).filter(({ atMs }) => span.fromMs < atMs && atMs <= span.toMs),
        );
      },
    });
    fromMs = toMs;
  }
  return reminders;
}

describe("a reminder", () => {
  it.each([
    ["a trial of 14 days", trial(14), 11],
    ["a trial of a week", trial(7), 4],
    ["a trial of 6 days", trial(6), 5],
    ["a trial of 2 days", trial(2), 1],
    ["a trial of a day", trial(1), undefined],
    ["a year", [fee({ year: 1 })], 351],
    ["12 months", [fee({ month: 12 })], 351],
    ["4 quarters", [fee({ quarter: 4 })], 351],
    ["a quarter", [fee({ quarter: 1 })], undefined],
  ])("of the end of %s comes in time", (_, phases, days) => {
    const next = nextReminderMs(openAccount(phases), { dueDates: none, afterMs: START_MS });
    expect(next === undefined ? undefined : (next - START_MS) / DAY_MS).toBe(days);
  });

  it("does not come for what the customer has ended or paused", () => {
    for (const action of ["cancel", "pause"]) {
      const members = { do: action, when: "period_end" };
      const ended = doStep(openAccount([fee({ year: 1 })]), { members, atMs: START_MS });
      expect(listReminders(ended, none)).toEqual([]);
    }
  });

  it("of an open invoice comes once it is past its due date, and no more when it is paid", () => {
    const account = openAccount([fee({ month: 1 })]);
    const dueMs = START_MS + 14 * DAY_MS;
    expect(accessByDueDates(account, { dueDates, atMs: dueMs })).toBe("current");
    expect(accessByDueDates(account, { dueDates, atMs: dueMs + MINUTE_MS })).toBe("overdue");
    expect(nextReminderMs(account, { dueDates, afterMs: dueMs })).toBe(dueMs + MINUTE_MS);
    const paid = doStep(account, { members: { do: "pay", key: "p" }, atMs: dueMs });
    expect(listReminders(paid, dueDates)).toEqual([]);
  });

  it.each([
    [0, "overdue", "invoice.overdue"],
    [2, "overdue", "invoice.reminder"],
    [7, "overdue", "invoice.reminder"],
    [14, "overdue", "invoice.reminder"],
    [21, "grace", "invoice.final_notice"],
    [28, "blocked", "invoice.blocked"],
  ])(
    "%i days after the due date leaves %s, and payment leaves current at once",
    (days, access, kind) => {
      const account = openAccount([fee({ year: 1 })]);
      const atMs = START_MS + (14 + days) * DAY_MS + MINUTE_MS;
      const at = { dueDates, atMs };
      expect(accessByDueDates(account, at)).toBe(access);
      const due = listReminders(account, dueDates).filter((reminder) => reminder.atMs === atMs);
      expect(due.map((reminder) => reminder.kind)).toEqual([kind]);
      const paid = doStep(account, { members: { do: "pay", key: "p" }, atMs });
      expect(accessByDueDates(paid, at)).toBe("current");
    },
  );

  it("comes exactly once, in one run over time or in many", () => {
    const endMs = START_MS + 800 * DAY_MS;
    const account = openAccount([{ duration: { days: 14 }, rateCards: [] }, fee({ year: 1 })]);
    const whole = collect(account, [endMs]);
    const days = whole.map(({ kind, atMs }) => [kind, Math.floor((atMs - START_MS) / DAY_MS)]);
    const unpaid = (due: number) => [
      ["invoice.overdue", due],
      ["invoice.reminder", due + 2],
      ["invoice.reminder", due + 7],
      ["invoice.reminder", due + 14],
      ["invoice.final_notice", due + 21],
      ["invoice.blocked", due + 28],
    ];
    expect(days).toEqual([
      ["trial.ending", 11],
      ...unpaid(28),
      ["renewal.upcoming", 365],
      ...unpaid(393),
      ["renewal.upcoming", 730],
      ...unpaid(758),
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 800 * 24 * 60 }), { maxLength: 30 }),
        (all) => {
          const stops = all.map((minutes) => START_MS + minutes * MINUTE_MS).sort((a, b) => a - b);
          expect(collect(account, [...stops, endMs])).toEqual(whole);
        },
      ),
    );
  });
});

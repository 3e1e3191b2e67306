import { isMembers } from "../../pricing/read-value.ts";
import { type Account, createAccount } from "../account/account.ts";
import { advance } from "../lifecycle/advance.ts";
import { doStep } from "../steps/do-step.ts";
import { badValue, readInstant, type Step, StepRefused } from "../steps/step.ts";
import { NoTaxRate } from "../tax/tax-lines.ts";
import { readStory, type Story } from "./read-story.ts";
import { type Refusal, type StoryResult, toStoryResult } from "./to-story-result.ts";

type Played = {
  readonly account: Account;
  /** The instant of the step played last; undefined before the first. */
  readonly nowMs: number | undefined;
  readonly refused: readonly Refusal[];
};

/** When a step is played: for usage, when it was written to the ledger. */
function readStep(value: unknown): Step {
  const members = isMembers(value) ? value : {};
  const atMs = readInstant(members, "at");
  if (atMs === undefined) {
    throw badValue("at", "say when the step happens.");
  }
  const recordedMs = members["do"] === "use" ? readInstant(members, "recordedAt") : undefined;
  return { members, atMs: Math.max(recordedMs ?? atMs, atMs) };
}

/** Plays one step on the account as time has made it. @throws {StepRefused} */
function playStep(played: Played, step: Step): Account {
  if (played.nowMs !== undefined && step.atMs < played.nowMs) {
    throw new StepRefused(
      "out_of_order",
      "The step lies before the one played last: put steps in the order of time.",
    );
  }
  return doStep(played.account, step);
}

function pass(played: Played, toMs: number): Played {
  const fromMs = played.nowMs ?? toMs;
  return toMs < fromMs
    ? played
    : { ...played, account: advance(played.account, { fromMs, toMs }), nowMs: toMs };
}

function play({ terms, customer, steps, untilMs }: Story): Played {
  let played: Played = { account: createAccount(terms, customer), nowMs: undefined, refused: [] };
  for (const [index, value] of steps.entries()) {
    try {
      const step = readStep(value);
      if (untilMs !== undefined && step.atMs > untilMs) {
        break;
      }
      // Time passes even when the step is then refused.
      const before = pass(played, step.atMs);
      const order = { ...before, nowMs: played.nowMs };
      played = before;
      played = { ...before, account: playStep(order, step) };
    } catch (error) {
      if (!(error instanceof StepRefused)) {
        throw error;
      }
      const refusal = { step: index, code: error.code, says: error.message };
      played = { ...played, refused: [...played.refused, refusal] };
    }
  }
  return untilMs === undefined ? played : pass(played, untilMs);
}

/**
 * Plays a story from nothing: with no database, clock or network, through the functions that bill for real.
 *
 * @param value - A parsed line of JSON.
 * @returns The result as plain JSON. Refusals are results: a catalogue that cannot work, a tax rate that is missing, steps that cannot
 *   be done.
 */
export function playStory(value: unknown): StoryResult {
  const id = isMembers(value) && typeof value["id"] === "string" ? value["id"] : "";
  const read = readStory(value);
  if ("faults" in read) {
    const refused = read.faults.map(({ code, pointer, message }) => ({
      step: "catalog" as const,
      code,
      says: pointer === "" ? message : `${pointer}: ${message}`,
    }));
    return { id, refused };
  }
  try {
    const { account, nowMs, refused } = play(read.story);
    return toStoryResult(id, { account, atMs: nowMs ?? 0, refused });
  } catch (error) {
    if (!(error instanceof NoTaxRate)) {
      throw error;
    }
    return { id, refused: [{ step: "catalog", code: "no_tax_rate", says: error.message }] };
  }
}

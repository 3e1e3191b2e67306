import { AppError } from "@turnpike/domain/errors/app-error";
import { judgeShare } from "@turnpike/domain/limits/fair-share";

/** Runs work when the turn of its sender, named, has come. @throws {AppError} `OVERLOADED` when it does not come in time. */
export type Queue = <Result>(sender: string, work: () => Promise<Result>) => Promise<Result>;

/** One sender: how many of its questions run, and what waits, the oldest first. */
type Party = { running: number; waiting: (() => void)[] };

function overloaded(whose = ""): AppError {
  return new AppError({
    code: "OVERLOADED",
    publicMessage: `Too many ${whose}questions about usage are in progress. Try again in a moment.`,
    headers: { "retry-after": "5" },
  });
}

/**
 * Runs a few questions at once and queues the others: they share the connections to the database with everything else, and
 * metering must never wait for charts. Senders take turns: at most half of the running questions are one sender's, and each
 * sender has a fair share of the queue, so none waits for all the questions of another.
 *
 * @param limits.running - How many run at once, 1 or more.
 * @param limits.waiting - How many may wait; further ones are refused at once.
 * @param limits.waitMs - How long each may wait, in milliseconds.
 */
export function createQueue(limits: { running: number; waiting: number; waitMs: number }): Queue {
  const runningOfOneMax = Math.ceil(limits.running / 2);
  let running = 0;
  let waiting = 0;
  /** By sender, in the order of their turns. Senders without questions are not in it. */
  const parties = new Map<string, Party>();

  function startNext(): void {
    for (const [sender, party] of parties) {
      const [start] = party.waiting;
      if (start !== undefined && party.running < runningOfOneMax) {
        parties.delete(sender);
        parties.set(sender, party);
        start();
        return;
      }
    }
  }

  function take(party: Party): void {
    running += 1;
    party.running += 1;
  }

  function forgetIdle(sender: string, party: Party): void {
    if (party.running === 0 && party.waiting.length === 0 && parties.get(sender) === party) {
      parties.delete(sender);
    }
  }

  async function waitForTurn(party: Party): Promise<void> {
    const verdict = judgeShare({
      whole: limits.waiting,
      taken: waiting,
      own: party.waiting.length,
      asked: 1,
    });
    if (verdict !== "fits") {
      throw overloaded(verdict === "full" ? "" : "of your ");
    }
    waiting += 1;
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting -= 1;
        party.waiting.splice(party.waiting.indexOf(start), 1);
      };
      const start = () => {
        leave();
        // Taken at once, so that no other sender gets in between.
        take(party);
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(overloaded());
      }, limits.waitMs);
      party.waiting.push(start);
    });
  }

  return async (sender, work) => {
    const party = parties.get(sender) ?? { running: 0, waiting: [] };
    parties.set(sender, party);
    // A question waits only when there is no room for it.
    if (running < limits.running && party.running < runningOfOneMax) {
      take(party);
    } else {
      try {
        await waitForTurn(party);
      } catch (error) {
        forgetIdle(sender, party);
        throw error;
      }
    }
    try {
      return await work();
    } finally {
      running -= 1;
      party.running -= 1;
      startNext();
      forgetIdle(sender, party);
    }
  };
}

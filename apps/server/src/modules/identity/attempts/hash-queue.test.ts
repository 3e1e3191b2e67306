import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHashQueue, type HashSender } from "./hash-queue.ts";

const PLACES = 32;
const KNOWN_PLACES = 8;
const open = () => createHashQueue<string>({ places: PLACES, knownPlaces: KNOWN_PLACES });
const sender = (block: string, account: string, isKnown = false): HashSender => ({
  block,
  account,
  isKnown,
});

/** Adds from senders until the queue has refused `count` of them. @returns How many it took. */
function flood(
  queue: ReturnType<typeof open>,
  senderOf: (index: number) => HashSender,
  count = 200,
): number {
  let taken = 0;
  for (let index = 0; index < count; index += 1) {
    if (queue.add(`flood ${String(queue.size)} ${String(index)}`, senderOf(index))) {
      taken += 1;
    }
  }
  return taken;
}

describe("hashes that wait", () => {
  it("of one block, from however many of its networks and at however many accounts, take half of the places", () => {
    const queue = open();
    expect(flood(queue, (index) => sender("evil", `person ${String(index)}`))).toBe(PLACES / 2);
    expect(queue.add("other", sender("other", "ada"))).toBe(true);
  });

  it("at one account, from however many blocks, take half of the places", () => {
    const queue = open();
    expect(flood(queue, (index) => sender(`block ${String(index)}`, "ada"))).toBe(PLACES / 2);
    expect(queue.add("other", sender("other", "eve"))).toBe(true);
  });

  it("are taken in turns: a newcomer is next after one of each block", () => {
    const queue = open();
    flood(queue, (index) => sender("evil", `person ${String(index)}`));
    expect(queue.next()).toContain("flood");
    expect(queue.add("newcomer", sender("other", "ada"))).toBe(true);
    expect(queue.next()).toContain("flood");
    expect(queue.next()).toBe("newcomer");
  });

  it("of known browsers have places that no number of strangers can take", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ block: fc.nat(40), account: fc.nat(40) }), { maxLength: 300 }),
        (strangers) => {
          const queue = open();
          for (const [index, { block, account }] of strangers.entries()) {
            queue.add(
              String(index),
              sender(`block ${String(block)}`, `account ${String(account)}`),
            );
          }
          expect(queue.size).toBeLessThanOrEqual(PLACES);
          expect(queue.add("owner", sender("block 1", "account 1", true))).toBe(true);
        },
      ),
    );
  });

  it("of known browsers take the places of everyone once theirs are taken, and are limited in both", () => {
    const queue = open();
    const known = (index: number) => sender("office", `person ${String(index)}`, true);
    expect(flood(queue, known)).toBe(KNOWN_PLACES / 2 + PLACES / 2);
    expect(queue.add("stranger", sender("other", "eve"))).toBe(true);
    expect(queue.add("owner", sender("home", "ada", true))).toBe(true);
  });

  it("each come out once, and free their place when they end", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 100 }), (blocks) => {
        const queue = open();
        const added = blocks.flatMap((block, index) => {
          const name = String(index);
          return queue.add(name, sender(String(block), name)) ? [name] : [];
        });
        const out: string[] = [];
        for (let next = queue.next(); next !== undefined; next = queue.next()) {
          out.push(next);
          queue.end(next);
        }
        expect(out.toSorted()).toEqual(added.toSorted());
        expect(queue.size).toBe(0);
      }),
    );
  });
});

import { placesAlone } from "@turnpike/domain/limits/call-places";
import type { HeldReport, RateMembers, RatePlaces } from "./rate-store.ts";

/** The places for calls at once that a process holds, and what it may hold when it cannot ask the others. */
export class OwnPlaces {
  readonly #member: string;
  readonly #held = new Map<string, HeldReport>();
  #returned = new Map<string, number>();
  #beyond = new Map<string, { own: number; all: number }>();
  #members: readonly string[] | undefined;

  /** @param member - This process, as {@link OwnPlaces.members} names it. */
  constructor(member: string) {
    this.#member = member;
  }

  /** All processes, this one included, in an order that all of them see; undefined before the store was reached once. */
  get members(): readonly string[] | undefined {
    return this.#members;
  }

  get place(): { place: number; count: number } {
    const all = this.#members ?? [];
    return { place: Math.max(0, all.indexOf(this.#member)), count: Math.max(1, all.length) };
  }

  /** While a process may still decide alone, what was known before holds: it may know no more. */
  hear({ members, mustShare, beyond }: RateMembers, toProcess: (member: string) => string): void {
    const known = mustShare ? (this.#members ?? []) : [];
    this.#members = [...new Set([...known, ...members.map(toProcess)])].toSorted();
    if (!mustShare) {
      this.#beyond = new Map(beyond.map(({ name, own, all }) => [name, { own, all }]));
    }
  }

  ownMaxOf({ name, limit }: RatePlaces): number {
    return placesAlone({ limit, ...this.place, known: this.#beyond.get(name) });
  }

  heldOf(name: string): number {
    return this.#held.get(name)?.held ?? 0;
  }

  take({ name, limit }: RatePlaces): void {
    const one = this.#held.get(name);
    if (one === undefined) {
      this.#held.set(name, { name, limit, held: 1 });
    } else {
      one.limit = limit;
      one.held += 1;
    }
  }

  /** @param isTold - Whether the store hears of it from the next group; otherwise from the next report. */
  giveBack(name: string, isTold: boolean): void {
    const one = this.#held.get(name);
    if (one !== undefined) {
      one.held -= 1;
      if (one.held <= 0) {
        this.#held.delete(name);
      }
    }
    if (isTold) {
      this.#returned.set(name, (this.#returned.get(name) ?? 0) + 1);
    }
  }

  get hasReturned(): boolean {
    return this.#returned.size > 0;
  }

  /** What was given back since it was last asked for. */
  drainReturned(): ReadonlyMap<string, number> {
    const returned = this.#returned;
    if (returned.size > 0) {
      this.#returned = new Map();
    }
    return returned;
  }

  /** Everything that is held. What was given back until now is no longer among it. */
  report(): HeldReport[] {
    this.#returned.clear();
    return [...this.#held.values()].map((one) => ({ ...one }));
  }
}

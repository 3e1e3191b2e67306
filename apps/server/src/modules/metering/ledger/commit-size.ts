import type { GroupEntry } from "./usage-group.ts";

/** Groups in one transaction. Usage of few keys is summed to few rows, however many groups it comes in. */
const GROUPS_MAX = 512;
/** Keys and routes in one transaction. A larger commit would hold its locks, and hold up the next one, for seconds. */
const ROWS_MAX = 4_000;

function nameRow({ keyId, route, method, status }: GroupEntry): string {
  // Nearly always the key alone: its calls have the same minute and meter.
  return route === undefined && status === 200
    ? keyId
    : `${keyId}|${String(status)}|${method ?? ""}|${route ?? ""}`;
}

/** Counts the rows that a commit would write, group by group. */
export class CommitSize {
  #groups = 0;
  readonly #rows = new Set<string>();

  /** True when further groups are for the next commit. */
  get isFull(): boolean {
    return this.#groups >= GROUPS_MAX || this.#rows.size >= ROWS_MAX;
  }

  add(entries: readonly GroupEntry[]): void {
    this.#groups += 1;
    for (const entry of entries) {
      this.#rows.add(nameRow(entry));
    }
  }
}

/** Splits groups, in their order, into commits of a bounded size. */
export function* toCommits<Group extends { entries: readonly GroupEntry[] }>(
  groups: readonly Group[],
): Iterable<Group[]> {
  let commit: Group[] = [];
  let size = new CommitSize();
  for (const group of groups) {
    if (size.isFull) {
      yield commit;
      commit = [];
      size = new CommitSize();
    }
    commit.push(group);
    size.add(group.entries);
  }
  if (commit.length > 0) {
    yield commit;
  }
}

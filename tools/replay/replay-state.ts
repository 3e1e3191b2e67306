import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { isId } from "@turnpike/domain/ids/ids";

/** Line numbers in `[first, last]`. */
type Range = [first: number, last: number];

/** How far a replay is: which lines were answered, so that another run can go on with the others. */
export type ReplayState = {
  tenantId: TenantId;
  answered: LineSet;
  /** Answers of the stub by status. */
  byStatus: Map<number, number>;
  /**
   * Calls that were sent and whose answer never came: the gateway may have metered them before its end, and the line was
   * sent again.
   */
  unanswered: number;
};

/** A set of line numbers, small for long runs of them. */
export class LineSet {
  #words = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(line: number): boolean {
    return ((this.#words[line >>> 5] ?? 0) & (1 << (line & 31))) !== 0;
  }

  add(line: number): void {
    const word = line >>> 5;
    if (word >= this.#words.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
      larger.set(this.#words);
      this.#words = larger;
    }
    if (!this.has(line)) {
      this.#words[word] = (this.#words[word] ?? 0) | (1 << (line & 31));
      this.#size += 1;
    }
  }

  toRanges(): Range[] {
    const ranges: Range[] = [];
    for (let line = 0; line < this.#words.length * 32; line += 1) {
      if (this.has(line)) {
        const last = ranges.at(-1);
        if (last?.[1] === line - 1) {
          last[1] = line;
        } else {
          ranges.push([line, line]);
        }
      }
    }
    return ranges;
  }

  static fromRanges(ranges: readonly Range[]): LineSet {
    const set = new LineSet();
    for (const [first, last] of ranges) {
      for (let line = first; line <= last; line += 1) {
        set.add(line);
      }
    }
    return set;
  }
}

/** Writes the state so that a crash leaves the old or the new one, never half of one. */
export async function saveState(path: string, state: ReplayState): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({
    tenantId: state.tenantId,
    answered: state.answered.toRanges(),
    byStatus: [...state.byStatus],
    unanswered: state.unanswered,
  });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads what an earlier run left; `undefined` when there is nothing, or nothing that can be understood. */
export async function loadState(path: string): Promise<ReplayState | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) {
    return;
  }
  const value = JSON.parse(text);
  if (typeof value.tenantId !== "string" || !isId("tenant", value.tenantId)) {
    return;
  }
  return {
    tenantId: value.tenantId,
    answered: LineSet.fromRanges(value.answered),
    byStatus: new Map(value.byStatus),
    unanswered: Number(value.unanswered),
  };
}

/** Forgets a replay that is complete. */
export async function removeState(path: string): Promise<void> {
  await rm(path, { force: true });
}

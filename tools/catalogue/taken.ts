import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Picture } from "./render-index.ts";

/** What was taken so far, in the folder of the pictures: a run that was ended goes on from there. */
export type Taken = {
  pictures: readonly Picture[];
  /** True when all looks of a screen in a state are there. */
  has(screen: string, state: string): boolean;
  /** Keeps the pictures of a screen in a state, all its looks at once. */
  add(pictures: readonly Picture[]): Promise<void>;
};

/** @param isResumed - False: what an earlier run left is forgotten. */
export async function openTaken(
  folder: string,
  { isResumed }: { isResumed: boolean },
): Promise<Taken> {
  const file = join(folder, "pictures.jsonl");
  const text = isResumed ? await readFile(file, "utf8").catch(() => "") : "";
  // A run that was killed may have left half a line.
  const lines = text.split("\n").filter((line) => line.endsWith("]"));
  await writeFile(file, lines.map((line) => `${line}\n`).join(""));
  const visits = lines.map((line): Picture[] => JSON.parse(line));
  const pictures = visits.flat();
  const keys = new Set(pictures.map(({ screen, state }) => `${screen} ${state}`));
  return {
    pictures,
    has: (screen, state) => keys.has(`${screen} ${state}`),
    async add(added) {
      pictures.push(...added);
      await appendFile(file, `${JSON.stringify(added)}\n`);
    },
  };
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export type WindowedSeries = {
  name: string;
  points: { timeMs: number; value: number }[];
  windows: [number, number][];
};

/** Without a zone, which is UTC. */
function toMs(text: string): number {
  return Date.parse(`${text.trim().replace(" ", "T").replace(/\.0+$/, "")}Z`);
}

/**
 * Reads labelled series: files `*.csv` with `timestamp,value`, and `windows.json`, which has for each file a list of
 * `[from, to]`, both inclusive.
 */
export async function readSeries(folder: string): Promise<WindowedSeries[]> {
  const labels: Record<string, [string, string][]> = JSON.parse(
    await readFile(join(folder, "windows.json"), "utf8"),
  );
  const names = (await readdir(folder)).filter((name) => name.endsWith(".csv")).sort();
  return Promise.all(
    names.map(async (name) => {
      const [, ...rows] = (await readFile(join(folder, name), "utf8")).trim().split("\n");
      const points = rows.map((row) => {
        const [time = "", value = ""] = row.split(",");
        return { timeMs: toMs(time), value: Number(value) };
      });
      const windows = (labels[name] ?? []).map(([from, to]): [number, number] => [
        points.findIndex(({ timeMs }) => timeMs >= toMs(from)),
        points.findLastIndex(({ timeMs }) => timeMs <= toMs(to)),
      ]);
      return { name, points, windows };
    }),
  );
}

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const ROW = /^\| .* \| `(?<bench>[a-z-]+)` \| `(?<ratio>\w+)` \| (?<value>[\d.]+) \|$/gm;

function readMeasured(bench: string, ratio: string): string | undefined {
  const page = readFileSync(join(ROOT, "docs/benchmarks.md"), "utf8");
  const [, section = ""] = page.split(`<!-- generated:bench-${bench} -->`);
  const [own = ""] = section.split(`<!-- /generated:bench-${bench} -->`);
  return new RegExp(String.raw`^\| ${ratio} \| ([\d.]+) \|$`, "m").exec(own)?.[1];
}

it("README.md repeats figures of docs/benchmarks.md as they were measured", () => {
  const rows = [...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(ROW)].map(
    ({ groups: { bench = "", ratio = "", value = "" } = {} }) => ({ bench, ratio, value }),
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.map((row) => ({ ...row, value: readMeasured(row.bench, row.ratio) }))).toEqual(rows);
});

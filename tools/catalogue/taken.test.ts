import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { expect, it } from "vitest";
import { openTaken } from "./taken.ts";

const PICTURE = { screen: "plans", state: "ready", look: "desk", file: "a.png", findings: [] };

it("goes on after a run that was killed while it wrote, and begins anew unless it is asked to", async () => {
  await using temp = await makeTempFolder();
  const first = await openTaken(temp.path, { isResumed: false });
  await first.add([PICTURE, { ...PICTURE, look: "phone" }]);
  await appendFile(join(temp.path, "pictures.jsonl"), '[{"screen":"billings","st');
  const second = await openTaken(temp.path, { isResumed: true });
  expect(second.pictures).toHaveLength(2);
  expect(second.has("plans", "ready")).toBe(true);
  expect(second.has("billings", "ready")).toBe(false);
  expect((await openTaken(temp.path, { isResumed: false })).pictures).toEqual([]);
});

import { expect, it } from "vitest";
import { createVerdictCache } from "./verdict-cache.ts";

const REPLY = { valid: true, code: "VALID", requestId: "req_1" };

it("holds the most recently used entries and no more, whatever is sent", () => {
  const cache = createVerdictCache({ entriesMax: 3, nowMs: () => 0 });
  for (const name of ["a", "b", "c"]) {
    cache.keep(name, REPLY, 1_000);
  }
  expect(cache.find("a")).toEqual(REPLY);
  for (let made = 0; made < 1_000; made += 1) {
    cache.keep(`made-up-${String(made)}`, REPLY, 1_000);
    cache.find("a");
    expect(cache.size()).toBeLessThanOrEqual(3);
  }
  expect(cache.find("a")).toEqual(REPLY);
  expect(cache.find("b")).toBeUndefined();
});

it("answers nothing that is as old as its life, and keeps nothing without one", () => {
  let nowMs = 0;
  const cache = createVerdictCache({ entriesMax: 3, nowMs: () => nowMs });
  cache.keep("a", REPLY, 1_000);
  cache.keep("b", REPLY, 0);
  nowMs = 999;
  expect(cache.find("a")).toEqual(REPLY);
  expect(cache.find("b")).toBeUndefined();
  nowMs = 1_000;
  expect(cache.find("a")).toBeUndefined();
});

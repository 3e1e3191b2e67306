import { expect, it } from "vitest";
import { VALID_REPLY } from "./fake-turnpike.fixture.ts";
import { createVerdictCache } from "./verdict-cache.ts";

it("holds the most recently used entries and no more, for anything that is sent", () => {
  const cache = createVerdictCache({ entriesMax: 3, nowMs: () => 0 });
  for (const name of ["a", "b", "c"]) {
    cache.keep(name, VALID_REPLY, 1_000);
  }
  expect(cache.find("a")).toEqual(VALID_REPLY);
  for (let made = 0; made < 1_000; made += 1) {
    cache.keep(`made-up-${String(made)}`, VALID_REPLY, 1_000);
    cache.find("a");
    expect(cache.size()).toBeLessThanOrEqual(3);
  }
  expect(cache.find("a")).toEqual(VALID_REPLY);
  expect(cache.find("b")).toBeUndefined();
});

it("answers nothing whose end has come, and keeps nothing that comes after its own", () => {
  let nowMs = 0;
  const cache = createVerdictCache({ entriesMax: 3, nowMs: () => nowMs });
  cache.keep("a", VALID_REPLY, 1_000);
  cache.keep("b", VALID_REPLY, 0);
  nowMs = 999;
  expect(cache.find("a")).toEqual(VALID_REPLY);
  expect(cache.find("b")).toBeUndefined();
  nowMs = 1_000;
  expect(cache.find("a")).toBeUndefined();
  cache.keep("c", VALID_REPLY, 1_000);
  expect(cache.size()).toBe(0);
});

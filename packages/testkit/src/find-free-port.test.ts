import { createServer } from "node:net";
import { expect, it, vi } from "vitest";
import { findFreePort } from "./find-free-port.ts";

const drawn = vi.hoisted(() => ({ next: [] as number[] }));
vi.mock("node:crypto", async (original) => {
  const crypto = await original<typeof import("node:crypto")>();
  return {
    ...crypto,
    randomInt: (min: number, end: number) => drawn.next.shift() ?? crypto.randomInt(min, end),
  };
});

it("passes over a port that is taken", async () => {
  const taken = await findFreePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(taken, resolve));
  drawn.next = [taken];
  expect(await findFreePort()).not.toBe(taken);
  expect(drawn.next).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});

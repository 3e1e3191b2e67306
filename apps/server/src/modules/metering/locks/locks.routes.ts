import { implement } from "@orpc/server";
import { locksContract } from "@turnpike/contract/locks";
import type { HttpContext } from "#http/http-context.ts";
import { getLock } from "./get-lock.ts";
import { releaseLock } from "./release-lock.ts";
import { type EndLockDeps, settleLock } from "./settle-lock.ts";

export function createLocksRoutes(deps: EndLockDeps) {
  const os = implement(locksContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ input, context }) => getLock(deps, context.call(), input)),
    settle: os.settle.handler(({ input, context }) => settleLock(deps, context.call(), input)),
    release: os.release.handler(({ input, context }) => releaseLock(deps, context.call(), input)),
  });
}

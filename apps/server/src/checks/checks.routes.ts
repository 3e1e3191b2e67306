import { implement } from "@orpc/server";
import { checksContract } from "@turnpike/contract/checks";
import { assertMay } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import { type ChecksInput, runChecks } from "./run-checks.ts";

export function createChecksRoutes(input: ChecksInput) {
  const os = implement(checksContract).$context<HttpContext>();
  return os.router({
    run: os.run.handler(async ({ context }) => {
      assertMay(context.call().actor, "outbox:read");
      return await runChecks(input);
    }),
  });
}

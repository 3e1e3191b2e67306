import { implement } from "@orpc/server";
import { insightDigestsContract } from "@turnpike/contract/insight-digests";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listDigests, updateDigest } from "./manage-digests.ts";

export function createDigestRoutes(deps: AppServices & { sendsMail: boolean }) {
  const os = implement(insightDigestsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ context }) => listDigests(deps, context.call())),
    update: os.update.handler(({ input, context }) => updateDigest(deps, context.call(), input)),
  });
}

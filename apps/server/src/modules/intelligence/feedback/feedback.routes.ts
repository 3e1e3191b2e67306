import { implement } from "@orpc/server";
import { insightFeedbackContract } from "@turnpike/contract/insight-feedback";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listFeedback, resetFeedback } from "./manage-feedback.ts";

export function createFeedbackRoutes(deps: AppServices) {
  const os = implement(insightFeedbackContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listFeedback(deps, context.call(), input)),
    reset: os.reset.handler(({ input, context }) => resetFeedback(deps, context.call(), input)),
  });
}

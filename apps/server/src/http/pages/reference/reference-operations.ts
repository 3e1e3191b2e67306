import { implement } from "@orpc/server";
import { referenceContract } from "@turnpike/contract/reference";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { Reference } from "@turnpike/domain/routes/read-reference";
import type { HttpContext } from "#http/http-context.ts";
import { findSampleCall, listCalls } from "./sample-calls.ts";
import type { ReferenceVisits } from "./visits.ts";

/**
 * Answers what the console asks about the reference of the operator's API.
 *
 * @param options.url - Address of the reference; undefined where there is none, or it needs no visit.
 * @param options.list - The references that people may read.
 */
export function createReferenceOperations(
  visits: Pick<ReferenceVisits, "issueTicket">,
  options: { url: string | undefined; list: () => readonly Reference[] },
) {
  const os = implement(referenceContract).$context<HttpContext>();
  return os.router({
    visit: os.visit.handler(async ({ context }) => {
      context.call();
      if (options.url === undefined) {
        throw new AppError({
          code: "RESOURCE_NOT_FOUND",
          publicMessage: "There is no reference that only signed-in people may read.",
        });
      }
      const { ticket, expiresAt } = await visits.issueTicket();
      return {
        url: `${options.url}?ticket=${encodeURIComponent(ticket)}`,
        expiresAt: expiresAt.toISOString(),
      };
    }),

    listCalls: os.listCalls.handler(({ context }) => {
      context.call();
      return {
        items: listCalls(options.list()).map(({ method, path, summary }) => ({
          method,
          path,
          summary,
        })),
      };
    }),

    getCall: os.getCall.handler(({ context, input }) => {
      context.call();
      const found = findSampleCall(options.list(), input);
      if (found === undefined) {
        throw resourceNotFound("call");
      }
      return found;
    }),
  });
}

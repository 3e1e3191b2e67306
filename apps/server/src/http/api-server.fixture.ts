import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { AnyRouter } from "@orpc/server";
import type { Actor } from "@turnpike/domain/access/actor";
import { createLogger, type Logger } from "#platform/logger.ts";
import { RecentRequests } from "#platform/loop-watch.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createApiServer } from "./api-server.ts";
import { createContractHandler } from "./contract-handler.ts";
import { assertDeclared } from "./declared-answers.fixture.ts";
import { createProblemRenderer } from "./problem-details.ts";
import type { RawRoute } from "./raw-route.ts";
import type { TakeWrite } from "./write-budget.ts";

/** An answer whose JSON a test looks into without parsing it first. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong name in a test shows as a failure of that test
export type ApiAnswer = { status: number; headers: Headers; json(): Promise<any> };

export type ApiFixture = {
  /** Base address, without a slash at the end. */
  url: string;
  /**
   * Calls as the actor of that credential; an object as body is sent as JSON. Fails when the OpenAPI document does not declare
   * the answer.
   */
  call(credential: string, method: string, path: string, body?: object): Promise<ApiAnswer>;
  close(): Promise<void>;
};

/** A real listener with the routes of one module, where each credential is an actor of the test's choice. */
export async function serveModule(input: {
  router: AnyRouter;
  rawRoutes?: readonly RawRoute[];
  actors: Readonly<Record<string, Actor>>;
  logger?: Logger;
  /** Of pages that may read the answers. */
  corsOrigins?: readonly string[];
  takeWrite?: TakeWrite;
}): Promise<ApiFixture> {
  const renderProblem = createProblemRenderer("http://docs.test");
  const server = createApiServer({
    mounts: [],
    rawRoutes: input.rawRoutes ?? [],
    contract: createContractHandler(input.router, { renderProblem, onFailure: () => undefined }),
    serveConsole: () => false,
    findActor: async (credential) => input.actors[credential],
    renderProblem,
    newId: newUuidId,
    logger: input.logger ?? createLogger({ level: "silent" }),
    corsOrigins: input.corsOrigins ?? [],
    trustedProxies: { has: () => false },
    recent: new RecentRequests(),
    takeWrite: input.takeWrite ?? (() => undefined),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    async call(credential, method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${credential}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { status } = response;
      const problem: ApiAnswer | undefined = response.ok ? undefined : response.clone();
      const code: string | undefined = (await problem?.json())?.code;
      assertDeclared({ method, path, status, code });
      return response;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

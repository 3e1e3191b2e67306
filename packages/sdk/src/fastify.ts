import type { Turnpike } from "./create-turnpike.ts";
import { type Caller, guardCall, type RoutePolicy } from "./guard-call.ts";
import { cleanNodeRequest, type NodeRequest, readNodeRequest } from "./node-request.ts";

/** What this needs of a request of Fastify, and what a policy may decide by: it runs before the body is read. */
export type FastifyRequest = {
  raw: NodeRequest;
  ip: string;
  method: string;
  url: string;
  headers: NodeRequest["headers"];
  query: unknown;
  params: unknown;
  log: { error(error: unknown, message?: string): void };
  routeOptions: { config: object };
  turnpike?: Caller | null;
};

/** What this needs of a reply of Fastify. */
export type FastifyReply = {
  code(status: number): unknown;
  hasHeader(name: string): boolean;
  header(name: string, value: string): unknown;
  send(body: Uint8Array): unknown;
};

/** What this needs of Fastify itself. */
export type FastifyHost = {
  hasRequestDecorator(name: string): boolean;
  decorateRequest(name: string, value: null): unknown;
  addHook(
    name: "onRequest",
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
};

export type FastifyOptions = RoutePolicy<FastifyRequest> & { turnpike: Turnpike };

/** What a route sets in its `config`: a policy of its own, or `false` to be public. */
export type FastifyRouteConfig = { turnpike?: RoutePolicy<FastifyRequest> | false };

/**
 * A plugin for Fastify: `await app.register(turnpikeFastify, { turnpike })`. It guards every route of the scope where it is
 * registered and puts who calls on `request.turnpike`; a route says otherwise by `config: { turnpike: { cost: 5 } }`, or
 * `config: { turnpike: false }`. A nested scope may register the plugin again: its routes pass both policies, and cost what
 * the one says that asks more, of each meter.
 *
 * Set `trustProxy` in Fastify when a proxy is in front, or keys bound to networks see the proxy's address.
 */
export function turnpikeFastify(
  app: FastifyHost,
  { turnpike, ...policy }: FastifyOptions,
  done: (error?: Error) => void,
): void {
  // Already decorated where an outer scope has registered the plugin too.
  if (!app.hasRequestDecorator("turnpike")) {
    app.decorateRequest("turnpike", null);
  }
  app.addHook("onRequest", async (request, reply) => {
    const own = (request.routeOptions.config as FastifyRouteConfig).turnpike;
    if (own === false) {
      cleanNodeRequest(request.raw, { kind: "preflight" });
      return;
    }
    const call = { ...readNodeRequest(request.raw, request.ip), request };
    const guarded = await guardCall(turnpike, { ...policy, ...own }, call);
    if (guarded.kind === "denied") {
      reply.code(guarded.reply.status);
      setHeaders(reply, guarded.reply.headers);
      // As bytes: to a text Fastify would add a charset, which a problem document does not have.
      return reply.send(new TextEncoder().encode(guarded.reply.body));
    }
    cleanNodeRequest(request.raw, guarded);
    if (guarded.kind === "pass") {
      request.turnpike = guarded.caller;
      setHeaders(reply, guarded.headers);
    }
    return;
  });
  done();
}

/** Fastify's mark for a plugin whose additions apply to its siblings too. */
Object.assign(turnpikeFastify, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@turnpike/sdk",
});

/** The program's own CORS headers win: they may allow credentials, which `*` would forbid. */
function setHeaders(reply: FastifyReply, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!(name.startsWith("access-control-") && reply.hasHeader(name))) {
      reply.header(name, value);
    }
  }
}

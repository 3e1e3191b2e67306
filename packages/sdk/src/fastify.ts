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

/** What a route says in its `config`: a policy of its own, or `false` to be open to everybody. */
export type FastifyRouteConfig = { turnpike?: RoutePolicy<FastifyRequest> | false };

/**
 * A plugin for Fastify: `await app.register(turnpikeFastify, { turnpike })`. It guards every route of the place where it is
 * registered and puts who calls on `request.turnpike`; a route says otherwise by `config: { turnpike: { cost: 5 } }`, or
 * `config: { turnpike: false }`. A place within it may register the plugin again: its routes pass both policies, and cost what
 * the one says that asks more, of each meter.
 *
 * Set `trustProxy` in Fastify when a proxy stands in front, or keys bound to networks see the proxy's address.
 */
export function turnpikeFastify(
  app: FastifyHost,
  { turnpike, ...policy }: FastifyOptions,
  done: (error?: Error) => void,
): void {
  // It is there already where the plugin is registered around this place too.
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

/** Fastify's way to say that what a plugin adds holds for those beside it too. */
Object.assign(turnpikeFastify, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "@turnpike/sdk",
});

/** The program's own CORS goes first: it may allow credentials, and `*` would forbid them. */
function setHeaders(reply: FastifyReply, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!(name.startsWith("access-control-") && reply.hasHeader(name))) {
      reply.header(name, value);
    }
  }
}

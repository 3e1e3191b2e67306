import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { implement } from "@orpc/server";
import { collection, documentsContract, revision } from "@turnpike/contract/documents";
import { tenantId } from "@turnpike/contract/shapes";
import { type Actor, assertMayInTenant } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { bearerCredential } from "#http/authenticate.ts";
import type { HttpContext } from "#http/http-context.ts";
import { invalidRequest, type RawCall, type RawRoute } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { FindCaller } from "./documents.ports.ts";
import { getDocument, listDocuments } from "./read-documents.ts";
import {
  STREAM_TIMING,
  type StreamDeps,
  type StreamEvent,
  type StreamTiming,
  streamChanges,
} from "./stream-changes.ts";
import { deleteDocument, putDocument } from "./write-document.ts";

export type DocumentStreamsDeps = StreamDeps & {
  findActor: FindCaller;
  /** Aborted when the process drains: streams would otherwise hold it for an hour. */
  shutdown: AbortSignal;
  timing?: StreamTiming & { drainMs: number };
};

const STREAMS_PER_ACTOR_MAX = 6;
/** A reader that takes nothing for so long is dropped; it may come back with its place. */
const DRAIN_MS = 10_000;

export function createDocumentsRoutes(deps: Pick<AppServices, "transact" | "clock">) {
  const os = implement(documentsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listDocuments(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getDocument(deps, context.call(), input)),
    put: os.put.handler(({ input, context }) => putDocument(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) =>
      deleteDocument(deps, context.call(), { ...input.params, ...input.query }),
    ),
  });
}

function toText(event: StreamEvent): string {
  switch (event.kind) {
    case "heartbeat":
      return ":\n\n";
    case "reset":
      return "event: reset\ndata: {}\n\n";
    case "change":
      // JSON has no raw line breaks, so the data is one line.
      return `id: ${event.change.revision}\nevent: change\ndata: ${JSON.stringify(event.change)}\n\n`;
  }
}

/** @returns False when the reader is too slow or gone. */
async function send(
  res: ServerResponse,
  text: string,
  input: { signal: AbortSignal; drainMs: number },
): Promise<boolean> {
  if (res.destroyed || res.write(text)) {
    return !res.destroyed;
  }
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(input.drainMs)]);
  return await once(res, "drain", { signal }).then(
    () => true,
    () => false,
  );
}

function parseStreamCall({ req, params }: RawCall): {
  tenantId: TenantId;
  collection: string;
  after: bigint;
} {
  const tenant = tenantId.safeParse(params["tenantId"]);
  const name = collection.safeParse(params["collection"]);
  if (!tenant.success || !name.success) {
    throw resourceNotFound("collection");
  }
  const after = revision.safeParse(req.headers["last-event-id"] ?? "0");
  if (!after.success) {
    throw invalidRequest([
      { pointer: "header/Last-Event-ID", message: "Send the id of the last event, or nothing." },
    ]);
  }
  return { tenantId: tenant.data, collection: name.data, after: BigInt(after.data) };
}

/** Counts the open streams of each actor in this process. */
function createStreamSlots(): { take(actor: Actor): () => void } {
  const open = new Map<string, number>();
  return {
    take(actor) {
      const holder = `${actor.type} ${actor.id}`;
      const count = open.get(holder) ?? 0;
      if (count >= STREAMS_PER_ACTOR_MAX) {
        throw new AppError({
          code: "TOO_MANY_STREAMS",
          publicMessage: `At most ${String(STREAMS_PER_ACTOR_MAX)} streams may be open at once.`,
          headers: { "retry-after": "5" },
        });
      }
      open.set(holder, count + 1);
      return () => {
        const left = (open.get(holder) ?? 1) - 1;
        if (left === 0) {
          open.delete(holder);
        } else {
          open.set(holder, left);
        }
      };
    },
  };
}

async function serveStream(deps: DocumentStreamsDeps, call: RawCall, actor: Actor): Promise<void> {
  const { req, res } = call;
  const place = parseStreamCall(call);
  const timing = deps.timing ?? { ...STREAM_TIMING, drainMs: DRAIN_MS };
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const signal = AbortSignal.any([gone.signal, deps.shutdown]);
  const credential = bearerCredential(req) ?? "";
  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    // nginx would otherwise collect the events.
    "x-accel-buffering": "no",
  });
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  res.flushHeaders();
  const events = streamChanges(deps, {
    ...place,
    actorId: actor.id,
    signal,
    timing,
    async isStillAllowed() {
      const now = await deps.findActor(credential);
      return now !== undefined && mayRead(now, place.tenantId);
    },
  });
  for await (const event of events) {
    if (!(await send(res, toText(event), { signal, drainMs: timing.drainMs }))) {
      res.destroy();
      return;
    }
  }
  res.end();
}

function mayRead(actor: Actor, tenant: TenantId): boolean {
  try {
    assertMayInTenant(actor, "documents:read", tenant);
    return true;
  } catch {
    // Whatever the reason: the stream ends, and the next request is told why.
    return false;
  }
}

/** The stream of changes of a collection, as server-sent events read with `fetch`, so that it carries the credential. */
export function createDocumentsRawRoutes(deps: DocumentStreamsDeps): RawRoute[] {
  const slots = createStreamSlots();
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/documents/{collection}/changes",
      async handle(call) {
        const { actor } = call.context.call();
        const { tenantId: tenant } = parseStreamCall(call);
        assertMayInTenant(actor, "documents:read", tenant);
        const release = slots.take(actor);
        try {
          await serveStream(deps, call, actor);
        } finally {
          release();
        }
      },
    },
  ];
}

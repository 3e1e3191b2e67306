import { implement } from "@orpc/server";
import { collection, documentsContract, revision } from "@turnpike/contract/documents";
import { tenantId } from "@turnpike/contract/shapes";
import { type Actor, assertMayInTenant, mayInTenant } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { bearerCredential } from "#http/authenticate.ts";
import {
  createStreamSlots,
  HEARTBEAT_TEXT,
  STREAM_DRAIN_MS,
  sendEvents,
  toEventText,
} from "#http/event-stream.ts";
import type { HttpContext } from "#http/http-context.ts";
import { invalidRequest, type RawCall, type RawRoute } from "#http/raw-route.ts";
import type { ReaderTiming } from "#platform/watch-reader.ts";
import { assertMayUse } from "./assert-may-use.ts";
import type { FindCaller } from "./documents.ports.ts";
import { getDocument, listDocuments } from "./read-documents.ts";
import {
  STREAM_TIMING,
  type StreamDeps,
  type StreamEvent,
  streamChanges,
} from "./stream-changes.ts";
import { type NewsEvent, streamNews } from "./stream-news.ts";
import { deleteDocument, putDocument, type WriteDeps } from "./write-document.ts";

export type DocumentStreamsDeps = StreamDeps & {
  findActor: FindCaller;
  /** Aborted when the process drains. Otherwise streams would hold it up for an hour. */
  shutdown: AbortSignal;
  timing?: ReaderTiming & { drainMs: number };
};

export function createDocumentsRoutes(deps: WriteDeps) {
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
      return HEARTBEAT_TEXT;
    case "reset":
      return toEventText({ name: "reset", data: {} });
    case "change":
      return toEventText({ name: "change", id: event.change.revision, data: event.change });
  }
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
      { pointer: "/Last-Event-ID", message: "Send the id of the last event, or leave it out." },
    ]);
  }
  return { tenantId: tenant.data, collection: name.data, after: BigInt(after.data) };
}

async function serveStream(deps: DocumentStreamsDeps, call: RawCall, actor: Actor): Promise<void> {
  const target = parseStreamCall(call);
  const { drainMs, ...timing } = deps.timing ?? { ...STREAM_TIMING, drainMs: STREAM_DRAIN_MS };
  const credential = bearerCredential(call.req) ?? "";
  await sendEvents(call, {
    shutdown: deps.shutdown,
    drainMs,
    async *open(signal) {
      const events = streamChanges(deps, {
        ...target,
        actorId: actor.id,
        signal,
        timing,
        async isStillAllowed() {
          const now = await deps.findActor(credential, () => call.context.clientAddress());
          return now !== undefined && mayRead(now, target);
        },
      });
      for await (const event of events) {
        yield toText(event);
      }
    },
  });
}

function toNewsText(event: NewsEvent): string {
  return event.kind === "news" ? toEventText({ name: "news", data: event.news }) : HEARTBEAT_TEXT;
}

async function serveNews(
  deps: DocumentStreamsDeps,
  call: RawCall,
  reader: { actor: Actor; tenantId: TenantId },
): Promise<void> {
  const { drainMs, ...timing } = deps.timing ?? { ...STREAM_TIMING, drainMs: STREAM_DRAIN_MS };
  const credential = bearerCredential(call.req) ?? "";
  await sendEvents(call, {
    shutdown: deps.shutdown,
    drainMs,
    async *open(signal) {
      const events = streamNews(deps, {
        ...reader,
        actorId: reader.actor.id,
        signal,
        timing,
        async isStillAllowed() {
          const now = await deps.findActor(credential, () => call.context.clientAddress());
          return now !== undefined && mayInTenant(now, "documents:read", reader.tenantId);
        },
      });
      for await (const event of events) {
        yield toNewsText(event);
      }
    },
  });
}

function mayRead(actor: Actor, target: { tenantId: TenantId; collection: string }): boolean {
  try {
    assertMayUse({ actor }, "documents:read", target);
    return true;
  } catch {
    // For any reason, the stream ends, and the next request gets the error.
    return false;
  }
}

/** Streams of server-sent events, which are read with `fetch`, so that they carry the credential: a collection's changes, a tenant's news. */
export function createDocumentsRawRoutes(deps: DocumentStreamsDeps): RawRoute[] {
  const slots = createStreamSlots();
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/documents/{collection}/changes",
      async handle(call) {
        const { actor } = call.context.call();
        const target = parseStreamCall(call);
        assertMayUse({ actor }, "documents:read", target);
        const release = slots.take(actor, target.tenantId);
        try {
          await serveStream(deps, call, actor);
        } finally {
          release();
        }
      },
    },
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/news",
      async handle(call) {
        const { actor } = call.context.call();
        const tenant = tenantId.safeParse(call.params["tenantId"]);
        if (!tenant.success) {
          throw resourceNotFound("tenant");
        }
        assertMayInTenant(actor, "documents:read", tenant.data);
        const release = slots.take(actor, tenant.data);
        try {
          await serveNews(deps, call, { actor, tenantId: tenant.data });
        } finally {
          release();
        }
      },
    },
  ];
}

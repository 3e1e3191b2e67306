import { liveCallsQuery } from "@turnpike/contract/live-calls";
import { tenantId } from "@turnpike/contract/shapes";
import { assertMayInTenant, mayInTenant } from "@turnpike/domain/access/actor";
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
import { parseQuery } from "#http/parse-query.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { ChangeSource, FindCaller } from "../analytics.ports.ts";
import { assertTenantOpen, isTenantOpen } from "./assert-tenant-open.ts";
import type { LiveCalls } from "./live-calls.ts";
import {
  LIVE_STREAM_TIMING,
  type LiveStreamEvent,
  type LiveStreamTiming,
  streamLiveCalls,
} from "./stream-live-calls.ts";

export type LiveCallsRoutesDeps = Pick<AppServices, "transact" | "clock"> & {
  liveCalls: LiveCalls;
  changes: ChangeSource;
  findActor: FindCaller;
  /** Aborted when the process drains, which open streams would otherwise delay for an hour. */
  shutdown: AbortSignal;
  timing?: Partial<LiveStreamTiming & { drainMs: number }>;
};

function toText(event: LiveStreamEvent): string {
  switch (event.kind) {
    case "heartbeat":
      return HEARTBEAT_TEXT;
    case "coverage":
      return toEventText({ name: "coverage", data: { isWhole: event.isWhole } });
    case "calls": {
      const { kind, ...data } = event;
      return toEventText({ name: kind, data });
    }
  }
}

async function mayStay(
  deps: LiveCallsRoutesDeps,
  call: RawCall,
  tenant: TenantId,
): Promise<boolean> {
  const credential = bearerCredential(call.req) ?? "";
  const actor = await deps.findActor(credential, () => call.context.clientAddress());
  if (actor === undefined || !mayInTenant(actor, "usage:read", tenant)) {
    return false;
  }
  return await isTenantOpen(deps, tenant);
}

/** Serves the calls of a tenant as server-sent events, for readers that use `fetch` and so can send a credential. */
export function createLiveCallsRawRoutes(deps: LiveCallsRoutesDeps): RawRoute[] {
  const slots = createStreamSlots();
  const { drainMs = STREAM_DRAIN_MS, ...ownTiming } = deps.timing ?? {};
  const timing: LiveStreamTiming = { ...LIVE_STREAM_TIMING, ...ownTiming };

  async function follow(call: RawCall): Promise<void> {
    const { actor } = call.context.call();
    const parsed = tenantId.safeParse(call.params["tenantId"]);
    if (!parsed.success) {
      throw resourceNotFound("tenant");
    }
    assertMayInTenant(actor, "usage:read", parsed.data);
    const { tenantId: tenant, ...filters } = parseQuery(call, liveCallsQuery, {
      tenantId: parsed.data,
    });
    await assertTenantOpen(deps, tenant);
    const release = slots.take(actor, tenant);
    try {
      await sendEvents(call, {
        shutdown: deps.shutdown,
        drainMs,
        async *open(signal) {
          const events = streamLiveCalls(deps, {
            tenantId: tenant,
            filters,
            actorId: actor.id,
            signal,
            timing,
            isStillAllowed: () => mayStay(deps, call, tenant),
          });
          for await (const event of events) {
            yield toText(event);
          }
        },
      });
    } finally {
      release();
    }
  }

  return [{ method: "GET", path: "/v1/tenants/{tenantId}/usage/live", handle: follow }];
}

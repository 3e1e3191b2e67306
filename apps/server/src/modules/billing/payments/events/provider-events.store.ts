import type { Tx } from "@turnpike/db/client";
import {
  CURRENCY_NOT_SUPPORTED,
  type PaymentProviderName,
  type ProviderEvent,
} from "../payment-provider.ts";

/** Whose event it is. */
export type EventSource = { provider: PaymentProviderName; environment: "live" | "test" };
export type EventKey = EventSource & { eventId: string };
type WaitingEvent = {
  type: string;
  objectRef: string;
  /** How often it could not be applied. */
  tries: number;
};

/** @param input.tryAt - When the sweep takes it, if its job has not applied it by then. @returns The ids of those that were not here yet. */
export async function insertEvents(
  tx: Tx,
  { provider, environment }: EventSource,
  { events, now, tryAt }: { events: readonly ProviderEvent[]; now: Date; tryAt: Date },
): Promise<string[]> {
  const rows = tx.json(events as never);
  const inserted = await tx<{ eventId: string }[]>`
    insert into provider_events (provider, environment, event_id, type, object_ref, received_at, try_at)
    select distinct on (n."eventId") ${provider}, ${environment}, n."eventId", n.type, n."objectRef", ${now}, ${tryAt}
    from json_to_recordset(${rows}::json) as n ("eventId" text, type text, "objectRef" text)
    on conflict do nothing
    returning event_id as "eventId"`;
  return inserted.map(({ eventId }) => eventId);
}

/** @returns `undefined` when it has been applied, or is not here. */
export async function findWaitingEvent(
  tx: Tx,
  { provider, environment, eventId }: EventKey,
): Promise<WaitingEvent | undefined> {
  const [row] = await tx<WaitingEvent[]>`
    select type, object_ref as "objectRef", tries from provider_events
    where provider = ${provider} and environment = ${environment} and event_id = ${eventId} and applied_at is null`;
  return row;
}

/** Notes an object as applied, for all of its events that had come before it was fetched: they say nothing that it does not. */
export async function markApplied(
  tx: Tx,
  { provider, environment }: EventSource,
  input: { eventId: string; objectRef: string; fetchedAt: Date; now: Date },
): Promise<void> {
  await tx`
    update provider_events set applied_at = ${input.now}, failure = null, try_at = null, given_up_at = null
    where provider = ${provider} and environment = ${environment} and applied_at is null
      and (event_id = ${input.eventId} or (object_ref = ${input.objectRef} and received_at <= ${input.fetchedAt}))`;
}

/** Notes why an event could not be applied, and when it is tried again. One that is given up keeps the instant at which it was. */
export async function noteFailure(
  tx: Tx,
  { provider, environment, eventId }: EventKey,
  {
    failure,
    tries,
    tryAt,
    givenUpAt,
  }: { failure: string; tries: number; tryAt: Date; givenUpAt: Date | null },
): Promise<void> {
  await tx`
    update provider_events
    set failure = ${failure}, tries = ${tries}, try_at = ${tryAt}, given_up_at = coalesce(given_up_at, ${givenUpAt})
    where provider = ${provider} and environment = ${environment} and event_id = ${eventId} and applied_at is null`;
}

/** Puts off an event that cannot be asked for now. It is no failed try. */
export async function putOffEvent(
  tx: Tx,
  { provider, environment, eventId }: EventKey,
  tryAt: Date,
): Promise<void> {
  await tx`
    update provider_events set try_at = ${tryAt}
    where provider = ${provider} and environment = ${environment} and event_id = ${eventId} and applied_at is null`;
}

/** Events that are to be tried again by now, the longest due first: those that fail again and again come ever later. */
export async function listWaitingEvents(
  tx: Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<EventKey[]> {
  return await tx<EventKey[]>`
    select provider, environment, event_id as "eventId" from provider_events
    where try_at <= ${now}
    order by try_at, event_id limit ${limit}`;
}

/** An event that could not be applied. */
export type FailedEventRow = EventKey & {
  type: string;
  objectRef: string;
  receivedAt: Date;
  tries: number;
  failure: string;
  givenUpAt: Date | null;
  tryAt: Date | null;
};

export type EventPlace = { receivedAt: Date; eventId: string };

/** Events that could not be applied, newest first. */
export async function listFailedEvents(
  tx: Tx,
  input: { environment: "live" | "test"; after: EventPlace | undefined; limit: number },
): Promise<FailedEventRow[]> {
  const { environment, after, limit } = input;
  return await tx<FailedEventRow[]>`
    select provider, environment, event_id as "eventId", type, object_ref as "objectRef", received_at as "receivedAt", tries, failure,
      given_up_at as "givenUpAt", try_at as "tryAt"
    from provider_events
    where environment = ${environment} and applied_at is null and failure is not null
      and ${
        after === undefined
          ? tx`true`
          : tx`(date_trunc('milliseconds', received_at), event_id) < (${after.receivedAt}, ${after.eventId})`
      }
    order by date_trunc('milliseconds', received_at) desc, event_id desc limit ${limit}`;
}

/** Events that could not be applied, those that were tried least first, so that none keeps others from their turn; and how many there are. */
export async function listEventsToRetry(
  tx: Tx,
  { environment, limit }: { environment: "live" | "test"; limit: number },
): Promise<{ keys: EventKey[]; count: number }> {
  const rows = await tx<(EventKey & { count: number })[]>`
    select provider, environment, event_id as "eventId", count(*) over ()::int as count
    from provider_events
    where environment = ${environment} and applied_at is null and failure is not null
    order by tries, received_at, event_id limit ${limit}`;
  return {
    keys: rows.map(({ count: _, ...key }) => key),
    count: rows[0]?.count ?? 0,
  };
}

/** Applied events of before an instant are forgotten: providers do not report them any more. */
export async function deleteAppliedEvents(tx: Tx, before: Date): Promise<void> {
  await tx`delete from provider_events where applied_at is not null and received_at < ${before}`;
}

export async function findSweptTo(
  tx: Tx,
  { provider, environment }: EventSource,
): Promise<Date | undefined> {
  const [row] = await tx<{ sweptTo: Date | null }[]>`
    select swept_to as "sweptTo" from provider_sweeps
    where provider = ${provider} and environment = ${environment}`;
  return row?.sweptTo ?? undefined;
}

/** Notes how far a sweep came, or what kept it: then it stays where it was. */
export async function writeSweep(
  tx: Tx,
  { provider, environment }: EventSource,
  { now, sweptTo, trouble }: { now: Date; sweptTo: Date | null; trouble: string | null },
): Promise<void> {
  await tx`
    insert into provider_sweeps (provider, environment, swept_to, trouble, trouble_since)
    values (${provider}, ${environment}, ${sweptTo}, ${trouble}, ${trouble === null ? null : now})
    on conflict (provider, environment) do update set
      swept_to = coalesce(excluded.swept_to, provider_sweeps.swept_to),
      trouble = excluded.trouble,
      trouble_since = case when excluded.trouble is null then null
        else coalesce(provider_sweeps.trouble_since, excluded.trouble_since) end`;
}

/**
 * What keeps a provider from answering, events that cannot be applied for as long as `before`, and open invoices in a currency that it
 * does not take. Those that were given up are counted, with one of them by its name.
 */
export async function findTrouble(
  tx: Tx,
  before: Date,
): Promise<{ trouble: string; since: Date } | undefined> {
  const [row] = await tx<{ trouble: string; since: Date }[]>`
    select trouble, since from (
      select trouble, trouble_since as since from provider_sweeps where trouble is not null
      union all
      (select failure, received_at from provider_events
        where try_at is not null and given_up_at is null and failure is not null and received_at < ${before}
        order by received_at limit 1)
      union all
      select format('%s %s reported could not be applied and %s tried once a day only, such as %s: %s',
        count(*), case when count(*) = 1 then 'change that the provider' else 'changes that the provider' end,
        case when count(*) = 1 then 'is' else 'are' end, min(event_id), min(failure)), min(received_at)
      from provider_events where given_up_at is not null
      having count(*) > 0
      union all
      (select format('%s is in %s, which the provider does not take: the customer has to transfer it.', i.number, i.currency),
          a.updated_at
        from payment_attempts a join invoices i using (invoice_id)
        where a.reason = ${CURRENCY_NOT_SUPPORTED} and i.state = 'open' order by a.updated_at limit 1)
    ) t order by since limit 1`;
  return row;
}

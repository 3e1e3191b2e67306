import { type ConnectionTarget, connect } from "@turnpike/db/client";

/** Opens a subscription to a channel of the database; resolves once it listens. */
export type Listen = (onPayload: (payload: string) => void) => Promise<{ close(): Promise<void> }>;

const CLOSE_TIMEOUT_SECONDS = 1;

/**
 * Makes subscriptions to one channel, each on a connection of its own: a pool in transaction mode between us and the
 * server would drop them silently, and the caller's self-test must be able to throw one away.
 */
export function createListen(target: ConnectionTarget, channel: string): Listen {
  return async (onPayload) => {
    const sql = connect(target, {
      connectionsMax: 1,
      applicationName: "turnpike-listen",
      statementTimeoutMs: 0,
    });
    try {
      await sql.listen(channel, onPayload);
    } catch (error) {
      await sql.end({ timeout: 0 });
      throw error;
    }
    return { close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }) };
  };
}

import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type AttemptRow = {
  state_hash: Buffer;
  tenant_id: TenantId;
  interaction: string;
  nonce: string;
  code_verifier: string;
  expires_at: Date;
};

/** How many dead ones a new attempt clears away. */
const PRUNED_MAX = 100;

/** Everything here needs the operator role. */
export async function insertAttempt(tx: Tx, row: AttemptRow & { now: Date }): Promise<void> {
  await tx`
    delete from sso_attempts where ctid = any(array(
      select ctid from sso_attempts where expires_at <= ${row.now} limit ${PRUNED_MAX}))`;
  await tx`
    insert into sso_attempts
    ${tx(row, "state_hash", "tenant_id", "interaction", "nonce", "code_verifier", "expires_at")}`;
}

/** Takes the attempt that an answer names: a second answer finds none. */
export async function takeAttempt(
  tx: Tx,
  input: { stateHash: Buffer; tenantId: TenantId; now: Date },
): Promise<AttemptRow | undefined> {
  const [row] = await tx<AttemptRow[]>`
    delete from sso_attempts
    where state_hash = ${input.stateHash} and tenant_id = ${input.tenantId} and expires_at > ${input.now}
      and result_hash is null
    returning state_hash, tenant_id, interaction, nonce, code_verifier, expires_at`;
  return row;
}

export type ResultRow = {
  tenant_id: TenantId;
  subject: string;
  email: string;
  name: string | null;
  session_id: string | null;
};

/** Keeps who came back, for the browser that began. */
export async function insertResult(
  tx: Tx,
  attempt: AttemptRow,
  result: Omit<ResultRow, "tenant_id" | "session_id"> & {
    sessionId: string | null;
    resultHash: Buffer;
  },
): Promise<void> {
  const row = {
    ...attempt,
    result_hash: result.resultHash,
    subject: result.subject,
    email: result.email,
    name: result.name,
    session_id: result.sessionId,
  };
  await tx`
    insert into sso_attempts
    ${tx(row, "state_hash", "tenant_id", "interaction", "nonce", "code_verifier", "expires_at", "result_hash", "subject", "email", "name", "session_id")}`;
}

/** Takes the result once, for the interaction that it answers. */
export async function takeResult(
  tx: Tx,
  input: { resultHash: Buffer; interaction: string; now: Date },
): Promise<ResultRow | undefined> {
  const [row] = await tx<ResultRow[]>`
    delete from sso_attempts
    where result_hash = ${input.resultHash} and interaction = ${input.interaction} and expires_at > ${input.now}
    returning tenant_id, subject, email, name, session_id`;
  return row;
}

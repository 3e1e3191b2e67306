import type { SignedInUser } from "@turnpike/contract/auth";
import type { Tx } from "@turnpike/db/client";
import type { UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Change } from "#platform/change-feed.ts";
import { insertChange } from "#platform/changes.store.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import type { RoleDirectory } from "./identity.ports.ts";
import { toSignedInUser } from "./to-user-reply.ts";
import { listUserRowsBySubject, type UserRow, upsertUserByClaims } from "./users.store.ts";
import type { TokenClaims, TokenVerdict } from "./verify-id-token.ts";

/** A person whose token is good, as an actor and as they may see themselves. */
export type SignedInPerson = { actor: UserActor; user: SignedInUser };

export type UserDirectory = {
  /**
   * Finds who holds an ID token, making or updating the user on the way.
   *
   * @throws {AppError} `UNAUTHENTICATED`, saying whether the token has expired; `IDENTITY_PROVIDER_UNAVAILABLE`.
   */
  identify(token: string): Promise<SignedInPerson>;
  /** The same for credentials of requests: `undefined` for a token that is not good. */
  findActor(token: string): Promise<UserActor | undefined>;
  /** Makes the next look at a person see what is committed now. */
  forget(userId: UserId): void;
  /** Forgets what a change may have made untrue. */
  applyChange(change: Change): void;
};

export type UserDirectoryDeps = Pick<AppServices, "transact" | "clock" | "newId"> & {
  verifyToken(token: string): Promise<TokenVerdict>;
  roles: RoleDirectory;
  /** E-mail addresses of operators by the configuration. */
  operators: readonly string[];
};

type UserRecord = { row: UserRow; roles: UserActor["roles"] };

const NO_ROLES: UserActor["roles"] = new Map();

/** People held in memory at the most, each about 1 kB. */
const RECORDS_MAX = 100_000;
const MISSES_MAX = 1_000;
const MISS_TTL_MS = 1_000;
const LOADS_MAX = 8;
const LOADS_WAITING_MAX = 2_000;
const LOAD_TIMEOUT_MS = 5_000;

function refused(reason: "expired" | "invalid", cause: unknown): AppError {
  return new AppError({
    code: "UNAUTHENTICATED",
    publicMessage:
      reason === "expired"
        ? "The sign-in has expired: sign in again."
        : "The sign-in is not valid: sign in again.",
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    cause,
  });
}

function nameOf(claims: Pick<TokenClaims, "issuer" | "subject">): string {
  return `${claims.issuer}\n${claims.subject}`;
}

/** An issuer has no line break; a subject may. */
function fromName(name: string): Pick<TokenClaims, "issuer" | "subject"> {
  const end = name.indexOf("\n");
  return { issuer: name.slice(0, end), subject: name.slice(end + 1) };
}

function isUpToDate({ row }: UserRecord, claims: TokenClaims): boolean {
  const isSame =
    row.email === claims.email &&
    row.email_verified === claims.emailVerified &&
    row.name === claims.name;
  // An older token, used late, must not bring back an older name or address.
  return isSame || (row.claims_issued_at !== null && row.claims_issued_at > claims.issuedAt);
}

/**
 * To the second, as tokens count: the one that is issued right after a change of password must not be refused for the
 * part of a second that it does not state.
 */
function isTooOld(row: UserRow, claims: TokenClaims): boolean {
  const from = row.tokens_valid_from;
  return from !== null && claims.issuedAt.getTime() < Math.floor(from.getTime() / 1_000) * 1_000;
}

/**
 * Answers who a token's holder is and what they may do. People are kept in memory and dropped when the change feed names
 * them, so that a role that is taken away is gone on every process within a second.
 */
export function createUserDirectory(deps: UserDirectoryDeps): UserDirectory {
  const operators = new Set(deps.operators.map((email) => email.toLowerCase()));
  const look = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    withTimeout(deps.transact.asOperator(work), LOAD_TIMEOUT_MS);

  const people = createRecordCache<UserRecord>({
    recordsMax: RECORDS_MAX,
    missesMax: MISSES_MAX,
    missTtlMs: MISS_TTL_MS,
    loadsMax: LOADS_MAX,
    loadsWaitingMax: LOADS_WAITING_MAX,
    waitMsMax: LOAD_TIMEOUT_MS,
    monotonicMs: deps.clock.monotonicMs,
    idOf: ({ row }) => row.user_id,
    load: (names) =>
      look(async (tx) => {
        const rows = await listUserRowsBySubject(tx, names.map(fromName));
        const roles = await deps.roles.listRoles(
          tx,
          rows.map((row) => row.user_id),
        );
        return new Map(
          rows.map((row) => [nameOf(row), { row, roles: roles.get(row.user_id) ?? NO_ROLES }]),
        );
      }),
  });

  async function store(claims: TokenClaims): Promise<void> {
    const userId = await look(async (tx) => {
      const row = await upsertUserByClaims(tx, {
        user_id: deps.newId("user"),
        issuer: claims.issuer,
        subject: claims.subject,
        email: claims.email,
        email_verified: claims.emailVerified,
        name: claims.name,
        claims_issued_at: claims.issuedAt,
        now: deps.clock.now(),
      });
      if (row !== undefined) {
        await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
      }
      return row?.user_id;
    });
    // Without a change the row was newer than the memory of it; both are forgotten.
    people.forget(userId ?? "");
  }

  async function getRecord(claims: TokenClaims): Promise<UserRecord> {
    const known = await people.get(nameOf(claims));
    if (known !== null && isUpToDate(known, claims)) {
      return known;
    }
    await store(claims);
    if (known !== null) {
      people.forget(known.row.user_id);
    }
    const fresh = await people.get(nameOf(claims));
    if (fresh === null) {
      throw new Error("A user that was just stored is not there.");
    }
    return fresh;
  }

  function isOperator({ row }: UserRecord): boolean {
    const isListed = row.email !== null && operators.has(row.email.toLowerCase());
    return row.is_operator || (isListed && row.email_verified);
  }

  async function identify(token: string): Promise<SignedInPerson> {
    const verdict = await deps.verifyToken(token);
    if (verdict.kind === "refused") {
      throw refused(verdict.reason, verdict.cause);
    }
    const record = await getRecord(verdict.claims);
    if (isTooOld(record.row, verdict.claims)) {
      throw refused("expired", undefined);
    }
    const user = toSignedInUser(record.row, isOperator(record));
    return {
      user,
      actor: { type: "user", id: user.userId, isOperator: user.isOperator, roles: record.roles },
    };
  }

  return {
    identify,
    async findActor(token) {
      try {
        return (await identify(token)).actor;
      } catch (error) {
        if (error instanceof AppError && error.code === "UNAUTHENTICATED") {
          return;
        }
        throw error;
      }
    },
    forget: people.forget,
    applyChange(change) {
      if (change.kind === "user") {
        people.forget(change.entityId);
      }
      if (change.kind === "reset") {
        people.clear();
      }
    },
  };
}

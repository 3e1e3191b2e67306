import type { SignedInUser } from "@turnpike/contract/auth";
import type { Tx } from "@turnpike/db/client";
import type { ActingIn, UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Change } from "#platform/change-feed.ts";
import { insertChange } from "#platform/changes.store.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import { isFactorDemanded, type SecondFactorPolicy } from "../factors/factor-policy.ts";
import { listAccountsWithFactors } from "../factors/factors.store.ts";
import {
  findLinkedIdentity,
  type Identity,
  type LinkedIdentityRow,
  listLinkedIdentities,
  listUserRowsById,
  lockIdentity,
  updateLinkedIdentity,
} from "../identities/identities.store.ts";
import type { RoleDirectory } from "../identity.ports.ts";
import { SESSION_KEPT_MS } from "../logout/end-provider-sessions.ts";
import { listSessionsOf, noteSession } from "../logout/provider-sessions.store.ts";
import { ssoRequired } from "../provider/sso-required.ts";
import type { TokenClaims, TokenVerdict } from "../tokens/token-claims.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { toSignedInUser } from "./to-user-reply.ts";
import { listUserRowsBySubject, type UserRow, upsertUserByClaims } from "./users.store.ts";
import { VOUCHED_STORED_EVERY_MS } from "./vouched-for.ts";

/** A person with a valid token, as an actor and as shown to themselves. */
export type SignedInPerson = {
  actor: UserActor;
  user: SignedInUser;
  /** In which the person reads; null until that is known. */
  language: Language | null;
};

export type UserDirectory = {
  /**
   * Finds the holder of an ID token, creating or updating the user on the way.
   *
   * @throws {AppError} `UNAUTHENTICATED`, saying whether the token has expired; `SIGNED_OUT` when its session was ended; `SECOND_FACTOR_REQUIRED` and `SSO_REQUIRED` for a
   *   token of another provider that is not enough; `IDENTITY_PROVIDER_UNAVAILABLE`.
   */
  identify(token: string): Promise<SignedInPerson>;
  /** The same for credentials of requests: `undefined` for an invalid token. */
  findActor(token: string): Promise<UserActor | undefined>;
  /** The person with an identity, with the roles of now; `undefined` when no one has it. */
  findPerson(identity: Pick<TokenClaims, "issuer" | "subject">): Promise<UserActor | undefined>;
  /** Makes the next lookup of a person read what is committed now. */
  forget(userId: UserId): void;
  /** Drops cached entries that a change may have invalidated. */
  applyChange(change: Change): void;
};

export type UserDirectoryDeps = Pick<AppServices, "transact" | "clock" | "newId"> & {
  verifyToken(token: string): Promise<TokenVerdict>;
  roles: RoleDirectory;
  /** E-mail addresses of operators in the configuration. */
  operators: readonly string[];
  /** People who must have a second factor at the built-in provider. Default: `optional`. */
  secondFactor?: SecondFactorPolicy;
  /** True when the owner of an account here signs in at their organization and no other way. Left out: no one does. */
  requiresSso?: ((email: string, accountId: string) => Promise<boolean>) | undefined;
};

type UserRecord = {
  row: UserRow;
  /** The identity by which the person was found, where it is not their first one. */
  linked: LinkedIdentityRow | undefined;
  roles: UserActor["roles"];
  hasFactor: boolean;
  /** True for a connected identity of a person who signs in at their organization alone. */
  requiresSso: boolean;
  /** Sessions at the provider of this identity; of the built-in one, those alone that ended before their tokens. */
  sessions: ReadonlyMap<string, { isEnded: boolean; expiresAt: Date }>;
  acting: (ActingIn & { expiresAt: Date }) | undefined;
};

const NO_ROLES: UserActor["roles"] = new Map();
const NO_SESSIONS: UserRecord["sessions"] = new Map();
/** A session is noted anew when less of its time is left. */
const SESSION_RENEWED_MS = SESSION_KEPT_MS / 2;

/** The most people in the cache, about 1 kB each. */
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

function signedOut(): AppError {
  return new AppError({
    code: "SIGNED_OUT",
    publicMessage: "You were signed out where you signed in. Sign in again.",
    headers: { "www-authenticate": 'Bearer error="invalid_token", error_description="signed_out"' },
  });
}

function secondFactorRequired(): AppError {
  return new AppError({
    code: "SECOND_FACTOR_REQUIRED",
    publicMessage:
      "This sign-in proved no second factor, which your account needs. Sign in at the provider with one, or in another way.",
  });
}

function nameOf(claims: Identity): string {
  return `${claims.issuer}\n${claims.subject}`;
}

/** An issuer contains no line break; a subject may. */
function fromName(name: string): Identity {
  const end = name.indexOf("\n");
  return { issuer: name.slice(0, end), subject: name.slice(end + 1) };
}

function isUpToDate({ row, linked }: UserRecord, claims: TokenClaims): boolean {
  const known = linked ?? row;
  const isSame =
    known.email === claims.email &&
    known.email_verified === claims.emailVerified &&
    known.name === claims.name;
  const storedAt = known.claims_issued_at?.getTime();
  if (storedAt === undefined) {
    return false;
  }
  const newerByMs = claims.issuedAt.getTime() - storedAt;
  // An older token that is used late must not revert name or address.
  return newerByMs < 0 || (isSame && newerByMs < VOUCHED_STORED_EVERY_MS);
}

/**
 * To the second, as in tokens. Otherwise a token issued right after a change of password would be refused for the fraction of a
 * second that it does not state.
 */
function isBefore(from: Date | null, { issuedAt }: TokenClaims): boolean {
  return from !== null && issuedAt.getTime() < Math.floor(from.getTime() / 1_000) * 1_000;
}

/** True when the session was ended by who signed the person in. */
function isEnded({ row, linked, sessions }: UserRecord, claims: TokenClaims): boolean {
  const from = linked === undefined ? row.sessions_valid_from : linked.tokens_valid_from;
  const session = sessions.get(claims.sessionId ?? claims.signInId ?? "");
  return session?.isEnded === true || isBefore(from, claims);
}

/**
 * Answers who holds a token and what they may do. People are cached until the change feed names them, so that a revoked role is gone
 * on every process within a second.
 */
export function createUserDirectory(deps: UserDirectoryDeps): UserDirectory {
  const operators = new Set(deps.operators.map((email) => email.toLowerCase()));
  const policy = deps.secondFactor ?? "optional";
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
    load: async (names) => {
      const records = await look((tx) => loadRecords(tx, names.map(fromName)));
      for (const record of records.values()) {
        const { row, linked } = record;
        if (linked !== undefined && row.issuer === BUILTIN_ISSUER && row.email !== null) {
          record.requiresSso = (await deps.requiresSso?.(row.email, row.subject)) === true;
        }
      }
      return records;
    },
  });

  /** Finds the people of these identities, first or connected, by the names of the identities. */
  async function findHolders(tx: Tx, identities: readonly Identity[]) {
    const holders = new Map<string, Pick<UserRecord, "row" | "linked">>();
    for (const row of await listUserRowsBySubject(tx, identities)) {
      holders.set(nameOf(row), { row, linked: undefined });
    }
    const others = identities.filter((identity) => !holders.has(nameOf(identity)));
    const linked = others.length === 0 ? [] : await listLinkedIdentities(tx, others);
    if (linked.length > 0) {
      const rows = await listUserRowsById(
        tx,
        linked.map((identity) => identity.user_id),
      );
      for (const identity of linked) {
        const row = rows.find(({ user_id: userId }) => userId === identity.user_id);
        if (row !== undefined) {
          holders.set(nameOf(identity), { row, linked: identity });
        }
      }
    }
    return holders;
  }

  async function loadRecords(
    tx: Tx,
    identities: readonly Identity[],
  ): Promise<Map<string, UserRecord>> {
    const holders = await findHolders(tx, identities);
    const found = [...holders.values()];
    const userIds = [...new Set(found.map(({ row }) => row.user_id))];
    const roles = await deps.roles.listRoles(tx, userIds);
    const acting = await deps.roles.listActing(tx, userIds);
    const asked = found.filter(
      ({ row, linked }) =>
        row.issuer === BUILTIN_ISSUER && (policy !== "optional" || linked !== undefined),
    );
    const withFactors =
      asked.length === 0
        ? new Set<string>()
        : await listAccountsWithFactors(
            tx,
            asked.map(({ row }) => row.subject),
          );
    const sessions = new Map<string, Map<string, { isEnded: boolean; expiresAt: Date }>>();
    const now = deps.clock.now();
    const known = found.map(({ row, linked }) => linked ?? row);
    for (const session of known.length === 0 ? [] : await listSessionsOf(tx, known, now)) {
      const own = sessions.get(nameOf(session)) ?? new Map();
      own.set(session.session_id, { isEnded: session.is_ended, expiresAt: session.expires_at });
      sessions.set(nameOf(session), own);
    }
    const records = new Map<string, UserRecord>();
    for (const [name, { row, linked }] of holders) {
      const { user_id: userId } = row;
      records.set(name, {
        row,
        linked,
        roles: roles.get(userId) ?? NO_ROLES,
        hasFactor: withFactors.has(row.subject),
        requiresSso: false,
        sessions: sessions.get(name) ?? NO_SESSIONS,
        acting: acting.get(userId),
      });
    }
    return records;
  }

  async function storeLinked(
    tx: Tx,
    { user_id: userId }: LinkedIdentityRow,
    claims: TokenClaims,
  ): Promise<void> {
    const isStored = await updateLinkedIdentity(tx, {
      issuer: claims.issuer,
      subject: claims.subject,
      email: claims.email,
      email_verified: claims.emailVerified,
      name: claims.name,
      claims_issued_at: claims.issuedAt,
    });
    if (isStored) {
      await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
    }
  }

  async function store(claims: TokenClaims): Promise<void> {
    const userId = await look(async (tx) => {
      if (claims.issuer !== BUILTIN_ISSUER) {
        await lockIdentity(tx, claims);
        const linked = await findLinkedIdentity(tx, claims);
        if (linked !== undefined) {
          await storeLinked(tx, linked, claims);
          return linked.user_id;
        }
      }
      const row = await upsertUserByClaims(tx, {
        user_id: deps.newId("user"),
        issuer: claims.issuer,
        subject: claims.subject,
        email: claims.email,
        email_verified: claims.emailVerified,
        name: claims.name,
        claims_issued_at: claims.issuedAt,
        storedEverySeconds: VOUCHED_STORED_EVERY_MS / 1_000,
        now: deps.clock.now(),
      });
      if (row !== undefined) {
        await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
      }
      return row?.user_id;
    });
    // Nothing changed, so the row was newer than the cache entry. Both are dropped.
    people.forget(userId ?? "");
  }

  /** True when the session of a provider elsewhere, which the token names, is noted. */
  function isSessionNoted({ sessions }: UserRecord, { sessionId }: TokenClaims): boolean {
    if (sessionId === undefined) {
      return true;
    }
    const leftMs = (sessions.get(sessionId)?.expiresAt.getTime() ?? 0) - deps.clock.now().getTime();
    return leftMs > SESSION_RENEWED_MS;
  }

  async function noteSessionOf({ issuer, subject, sessionId }: TokenClaims): Promise<void> {
    if (sessionId !== undefined) {
      const now = deps.clock.now();
      const expiresAt = new Date(now.getTime() + SESSION_KEPT_MS);
      await look((tx) => noteSession(tx, { issuer, subject, sessionId, now, expiresAt }));
    }
  }

  async function getRecord(claims: TokenClaims): Promise<UserRecord> {
    const known = await people.get(nameOf(claims));
    const isKnown = known !== null && isUpToDate(known, claims);
    const isNoted = known !== null && isSessionNoted(known, claims);
    if (isKnown && isNoted) {
      return known;
    }
    if (!isNoted) {
      await noteSessionOf(claims);
    }
    if (!isKnown) {
      await store(claims);
    }
    if (known !== null) {
      people.forget(known.row.user_id);
    }
    const fresh = await people.get(nameOf(claims));
    if (fresh === null) {
      throw new Error("A user that was just stored is missing.");
    }
    return fresh;
  }

  function isOperator({ row }: UserRecord): boolean {
    const isListed = row.email !== null && operators.has(row.email.toLowerCase());
    return row.is_operator || (isListed && row.email_verified);
  }

  /**
   * True for a person of the built-in provider who must have a second factor and has none. Where one is required since today, the
   * tokens and the command lines of before let no one in; providers elsewhere ask for what they want themselves.
   */
  function lacksFactor(record: UserRecord): boolean {
    const isOwn = record.row.issuer === BUILTIN_ISSUER && record.linked === undefined;
    const isDemanded = isFactorDemanded(policy, { isOperator: isOperator(record) });
    return isOwn && isDemanded && !record.hasFactor;
  }

  /**
   * Refuses a sign-in at a provider that would get around what the account is protected by: a second factor, which counts there only
   * where the operator said by which claims, or the person's organization.
   */
  function assertStrongEnough(record: UserRecord, { hasSecondFactor }: TokenClaims): void {
    if (record.requiresSso) {
      throw ssoRequired();
    }
    const isDemanded = isFactorDemanded(policy, { isOperator: isOperator(record) });
    const { linked, row } = record;
    const isWanted =
      linked === undefined
        ? isDemanded && hasSecondFactor !== undefined
        : isDemanded || (row.issuer === BUILTIN_ISSUER && record.hasFactor);
    if (isWanted && hasSecondFactor !== true) {
      throw secondFactorRequired();
    }
  }

  /** Someone who has just set up a second factor comes back before the change feed has said so. */
  async function refreshIfLacking(record: UserRecord): Promise<UserRecord> {
    if (!lacksFactor(record)) {
      return record;
    }
    people.forget(record.row.user_id);
    return (await people.get(nameOf(record.linked ?? record.row))) ?? record;
  }

  function toActor(record: UserRecord): UserActor {
    return {
      type: "user",
      id: record.row.user_id,
      isOperator: isOperator(record),
      roles: record.roles,
    };
  }

  /** Only for a person in a browser, and only as long as they are an operator. */
  function toActing(record: UserRecord): Pick<UserActor, "acting"> {
    const { acting } = record;
    if (acting === undefined || acting.expiresAt <= deps.clock.now() || !isOperator(record)) {
      return {};
    }
    const { expiresAt: _, ...where } = acting;
    return { acting: where };
  }

  async function identify(token: string): Promise<SignedInPerson> {
    const verdict = await deps.verifyToken(token);
    if (verdict.kind === "refused") {
      throw refused(verdict.reason, verdict.cause);
    }
    const record = await refreshIfLacking(await getRecord(verdict.claims));
    const { claims } = verdict;
    if (isBefore(record.row.tokens_valid_from, claims) || lacksFactor(record)) {
      throw refused("expired", undefined);
    }
    if (isEnded(record, claims)) {
      throw signedOut();
    }
    if (claims.issuer !== BUILTIN_ISSUER) {
      assertStrongEnough(record, claims);
    }
    const user = toSignedInUser(record.row, isOperator(record));
    const { signInId, issuedAt, authenticatedAt } = claims;
    const actor: UserActor = {
      ...toActor(record),
      ...toActing(record),
      vouchedAt: issuedAt,
      ...(authenticatedAt === undefined ? {} : { authenticatedAt }),
      ...(signInId === undefined ? {} : { signInId }),
    };
    return { user, actor, language: record.row.language };
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
    async findPerson(identity) {
      const known = await people.get(nameOf(identity));
      const record = known === null ? null : await refreshIfLacking(known);
      return record === null || lacksFactor(record) ? undefined : toActor(record);
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

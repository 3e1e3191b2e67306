import type { SignedInUser } from "@turnpike/contract/auth";
import type { Tx } from "@turnpike/db/client";
import type { UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Change } from "#platform/change-feed.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import { isFactorDemanded, type SecondFactorPolicy } from "../factors/factor-policy.ts";
import type { RoleDirectory } from "../identity.ports.ts";
import { SESSION_KEPT_MS } from "../logout/end-provider-sessions.ts";
import { noteSession } from "../logout/provider-sessions.store.ts";
import { ssoRequired } from "../provider/sso-required.ts";
import type { TokenClaims, TokenVerdict } from "../tokens/token-claims.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { loadUserRecords } from "./load-user-records.ts";
import { refused, secondFactorRequired, signedOut } from "./sign-in-refusals.ts";
import { storeClaims } from "./store-claims.ts";
import { toSignedInUser } from "./to-user-reply.ts";
import { fromName, isBefore, isEnded, isUpToDate, nameOf, type UserRecord } from "./user-record.ts";

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

/** A session is noted anew when less of its time is left. */
const SESSION_RENEWED_MS = SESSION_KEPT_MS / 2;

/** The most people in the cache, about 1 kB each. */
const RECORDS_MAX = 100_000;
const MISSES_MAX = 1_000;
const MISS_TTL_MS = 1_000;
const LOADS_MAX = 8;
const LOADS_WAITING_MAX = 2_000;
const LOAD_TIMEOUT_MS = 5_000;

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
      const records = await look((tx) =>
        loadUserRecords(tx, { ...deps, policy }, names.map(fromName)),
      );
      for (const record of records.values()) {
        const { row, linked } = record;
        if (linked !== undefined && row.issuer === BUILTIN_ISSUER && row.email !== null) {
          record.requiresSso = (await deps.requiresSso?.(row.email, row.subject)) === true;
        }
      }
      return records;
    },
  });

  async function store(claims: TokenClaims): Promise<void> {
    const userId = await look((tx) => storeClaims(tx, deps, claims));
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

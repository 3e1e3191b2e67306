import { createHash, timingSafeEqual } from "node:crypto";
import type { OwnIdentity } from "@turnpike/contract/account";
import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { MailStage } from "../accounts/account-mails.ts";
import type { AccountMailer } from "../accounts/provider.ports.ts";
import {
  getOwnUserRow,
  getPersonInBrowser,
  type OwnAccountDeps,
  type OwnCall,
} from "../own-account/own-account.ts";
import { provePerson } from "../own-account/prove-person.ts";
import type { TokenClaims, TokenVerdict } from "../tokens/token-claims.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import type { UserRow } from "../users/users.store.ts";
import {
  deleteLinkedIdentity,
  findLinkedIdentity,
  insertLinkedIdentity,
  listIdentitiesOfUser,
  lockIdentity,
  lockUserRow,
  promoteIdentity,
  putIdentityAttempt,
  takeIdentityAttempt,
  takeReleasedIdentity,
} from "./identities.store.ts";
import { identityMail } from "./identity-mails.ts";
import {
  type IdentityWays,
  isDisconnectable,
  listUsable,
  readIdentities,
} from "./list-identities.ts";
import { releaseIdentity } from "./release-identities.ts";

export type OwnIdentitiesDeps = OwnAccountDeps &
  IdentityWays & {
    verifyToken(token: string): Promise<TokenVerdict>;
    /** Those of the configuration, which people may connect. */
    providers: readonly { id: string; name: string; issuer: string }[];
    mailer: AccountMailer;
    stage: MailStage;
  };

/** Long enough for a sign-in at a provider with a second factor. */
const ATTEMPT_MS = 10 * 60 * 1_000;

function hashNonce(nonce: string): Buffer {
  return createHash("sha256").update(nonce).digest();
}

/** Lists what signs the person in: the first identity, then those that were connected, the oldest first. */
export async function listOwnIdentities(deps: OwnIdentitiesDeps, { context }: OwnCall) {
  const person = getPersonInBrowser(context);
  const row = await getOwnUserRow(deps, person);
  return await deps.transact.asOperator((tx) => readIdentities(deps, tx, row), SIGN_INS);
}

/**
 * Takes a fresh proof of the present account, and remembers the nonce of the sign-in at the provider that is about to begin. The
 * provider's token must name it, so no token that was given out for anything else connects an identity.
 *
 * @throws {AppError} `INVALID_REQUEST` for an unknown provider; `INVALID_CREDENTIALS`, `SIGN_IN_EXPIRED`, `TOO_MANY_ATTEMPTS`,
 *   `OVERLOADED` as the proof; `INSUFFICIENT_SCOPE`.
 */
export async function beginConnecting(
  deps: OwnIdentitiesDeps,
  call: OwnCall,
  input: { providerId: string; nonce: string; currentPassword?: string | undefined },
): Promise<void> {
  const person = getPersonInBrowser(call.context);
  const provider = deps.providers.find(({ id }) => id === input.providerId);
  if (provider === undefined) {
    const message = "No provider of this installation has this id.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/providerId", message }],
    });
  }
  await provePerson(deps, call, input);
  const expiresAt = new Date(deps.clock.now().getTime() + ATTEMPT_MS);
  await deps.transact.asOperator(
    (tx) =>
      putIdentityAttempt(tx, {
        user_id: person.id,
        nonce_hash: hashNonce(input.nonce),
        issuer: provider.issuer,
        sign_in_id: person.signInId ?? null,
        expires_at: expiresAt,
      }),
    SIGN_INS,
  );
}

function attemptExpired(): AppError {
  return new AppError({
    code: "SIGN_IN_EXPIRED",
    publicMessage: "Connecting took too long, or was begun elsewhere. Begin again.",
  });
}

async function takeAttempt(deps: OwnIdentitiesDeps, call: OwnCall, claims: TokenClaims) {
  const person = getPersonInBrowser(call.context);
  // In a transaction of its own: it is used up also when what follows is refused.
  const attempt = await deps.transact.asOperator(
    (tx) => takeIdentityAttempt(tx, { userId: person.id, now: deps.clock.now() }),
    SIGN_INS,
  );
  const isOwn =
    attempt !== undefined &&
    attempt.issuer === claims.issuer &&
    attempt.sign_in_id === (person.signInId ?? null) &&
    timingSafeEqual(attempt.nonce_hash, hashNonce(claims.nonce ?? ""));
  if (!isOwn) {
    throw attemptExpired();
  }
}

function alreadyExists(publicMessage: string): AppError {
  return new AppError({ code: "ALREADY_EXISTS", publicMessage });
}

/** @throws {AppError} `ALREADY_EXISTS` when someone has the identity, or the person has another one of the provider. */
async function assertFree(
  tx: Tx,
  { claims, row, provider }: { claims: TokenClaims; row: UserRow; provider: string },
): Promise<void> {
  const known = await findLinkedIdentity(tx, claims);
  const isFirst = row.issuer === claims.issuer && row.subject === claims.subject;
  if (known?.user_id === row.user_id || isFirst) {
    throw alreadyExists(`This account of ${provider} signs you in already.`);
  }
  if (known !== undefined || !(await takeReleasedIdentity(tx, claims))) {
    throw alreadyExists(
      `This account of ${provider} belongs to another account here. To connect it to yours, sign in with it and delete or disconnect it there first.`,
    );
  }
  const own = await listIdentitiesOfUser(tx, row.user_id);
  if ([row, ...own].some(({ issuer }) => issuer === claims.issuer)) {
    throw alreadyExists(
      `Another account of ${provider} is connected to yours. Disconnect it first.`,
    );
  }
}

async function tell(
  deps: OwnIdentitiesDeps,
  tx: Tx,
  input: { call: OwnCall; row: UserRow; issuer: string; kind: "connected" | "disconnected" },
): Promise<void> {
  const { row, issuer, kind } = input;
  await writeAudit(deps, tx, input.call.context, {
    tenantId: null,
    action: `identity.${kind}`,
    entityType: "user",
    entityId: row.user_id,
    details: { issuer },
  });
  await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
  if (row.email !== null) {
    const mail = identityMail(deps.stage, row, { kind, provider: nameProvider(deps, issuer) });
    await deps.mailer.sendMail(tx, { to: row.email, ...mail });
  }
}

function nameProvider(deps: Pick<OwnIdentitiesDeps, "providers">, issuer: string): string {
  return deps.providers.find((one) => one.issuer === issuer)?.name ?? issuer;
}

/**
 * Connects the identity of a provider's ID token to the person who calls. An e-mail address plays no part in it.
 *
 * @throws {AppError} `SIGN_IN_EXPIRED` when the token answers no attempt of this person; `ALREADY_EXISTS`; `INVALID_REQUEST` for a token
 *   that is not valid; `INSUFFICIENT_SCOPE`.
 */
export async function connectIdentity(
  deps: OwnIdentitiesDeps,
  call: OwnCall,
  input: { idToken: string },
): Promise<{ items: OwnIdentity[] }> {
  const person = getPersonInBrowser(call.context);
  const verdict = await deps.verifyToken(input.idToken);
  if (verdict.kind === "refused") {
    const message = "The provider's answer is not valid. Connect it again.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/idToken", message }],
      cause: verdict.cause,
    });
  }
  const { claims } = verdict;
  await takeAttempt(deps, call, claims);
  return await deps.transact.asOperator(async (tx) => {
    await lockIdentity(tx, claims);
    const row = await lockUserRow(tx, person.id);
    if (row === undefined) {
      throw attemptExpired();
    }
    await assertFree(tx, { claims, row, provider: nameProvider(deps, claims.issuer) });
    await insertLinkedIdentity(tx, {
      issuer: claims.issuer,
      subject: claims.subject,
      user_id: row.user_id,
      email: claims.email,
      email_verified: claims.emailVerified,
      name: claims.name,
      claims_issued_at: claims.issuedAt,
      connected_at: deps.clock.now(),
      tokens_valid_from: null,
    });
    await tell(deps, tx, { call, row, issuer: claims.issuer, kind: "connected" });
    return await readIdentities(deps, tx, row);
  }, SIGN_INS);
}

/**
 * Disconnects the person's identity of a provider. Its earlier tokens are refused from now on. Where it is the first one, the oldest
 * that works takes its place.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` for the last way to sign in; as the proof; `INSUFFICIENT_SCOPE`.
 */
export async function disconnectIdentity(
  deps: OwnIdentitiesDeps,
  call: OwnCall,
  input: { issuer: string; currentPassword?: string | undefined },
): Promise<{ items: OwnIdentity[] }> {
  const person = getPersonInBrowser(call.context);
  await provePerson(deps, call, input);
  return await deps.transact.asOperator(async (tx) => {
    const row = await lockUserRow(tx, person.id);
    if (row === undefined) {
      throw attemptExpired();
    }
    const linked = await listIdentitiesOfUser(tx, row.user_id);
    const chosen = [row, ...linked].find(({ issuer }) => issuer === input.issuer);
    if (chosen === undefined || chosen.issuer === BUILTIN_ISSUER) {
      throw new AppError({
        code: "RESOURCE_NOT_FOUND",
        publicMessage: "No account of this provider is connected to yours.",
      });
    }
    const successor = linked.find(({ issuer }) => deps.trustedIssuers.has(issuer));
    if (!isDisconnectable(listUsable(deps, row, linked), input.issuer)) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage:
          "This is the only way to sign in to your account. Connect another one first.",
      });
    }
    // Before the mail goes out to the address that the person had until now.
    await tell(deps, tx, { call, row, issuer: input.issuer, kind: "disconnected" });
    if (chosen === row && successor !== undefined) {
      await promoteIdentity(tx, { identity: successor, now: deps.clock.now() });
    } else {
      await deleteLinkedIdentity(tx, chosen);
    }
    await releaseIdentity(deps, tx, chosen);
    const left = await lockUserRow(tx, person.id);
    return await readIdentities(deps, tx, left ?? row);
  }, SIGN_INS);
}

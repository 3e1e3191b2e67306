import type { TenantId } from "@turnpike/domain/ids/ids";
import { emailDomainOf } from "@turnpike/domain/text/email-domain";
import { SIGN_INS } from "#platform/transact.ts";
import { createOidcProtocol } from "../protocol/oidc.ts";
import { createSamlProtocol } from "../protocol/saml.ts";
import { SsoError, type SsoPerson } from "../protocol/sso-error.ts";
import { toServiceAddresses } from "../service-addresses.ts";
import type { SsoDeps } from "../sso.ports.ts";
import { type ConnectionRow, findConnection, noteFailure } from "../sso-connections.store.ts";
import { isVerifiedDomain } from "../sso-domains.store.ts";
import { drawSecret, hashSecret, toRequestId } from "./secrets.ts";
import { type AttemptRow, insertResult, takeAttempt } from "./sso-attempts.store.ts";
import { toOidcSettings, toSamlSettings } from "./to-settings.ts";

/** What a browser brings from a provider. */
export type ProviderAnswer =
  | { protocol: "oidc"; callback: URL }
  | { protocol: "saml"; response: string; relayState: string };

function toState(answer: ProviderAnswer): string {
  return answer.protocol === "oidc"
    ? (answer.callback.searchParams.get("state") ?? "")
    : answer.relayState;
}

async function readPerson(
  deps: SsoDeps,
  input: { row: ConnectionRow; attempt: AttemptRow; answer: ProviderAnswer },
): Promise<SsoPerson> {
  const { row, attempt, answer } = input;
  const addresses = toServiceAddresses(deps.consoleUrl, { tenantId: row.tenant_id, slug: "" });
  if (row.protocol === "oidc" && answer.protocol === "oidc") {
    return await createOidcProtocol(deps).finish(
      await toOidcSettings(deps, row),
      { state: toState(answer), nonce: attempt.nonce, codeVerifier: attempt.code_verifier },
      { redirectUri: addresses.redirectUri, callback: answer.callback },
    );
  }
  if (row.protocol === "saml" && answer.protocol === "saml") {
    return await createSamlProtocol(deps).finish(toSamlSettings(row), addresses, {
      requestId: toRequestId(attempt.nonce),
      response: answer.response,
    });
  }
  throw new SsoError("sso_failed", "The answer is of another protocol than the connection.");
}

async function assertOwnAddress(deps: SsoDeps, tenantId: TenantId, email: string): Promise<void> {
  const domain = emailDomainOf(email);
  const isOwn =
    domain !== undefined &&
    (await deps.transact.asOperator((tx) => isVerifiedDomain(tx, tenantId, domain), SIGN_INS));
  if (!isOwn) {
    throw new SsoError(
      "sso_address",
      `The provider sent a person of ${domain ?? "no domain"}, which is not proven here.`,
    );
  }
}

/**
 * Checks the answer of a tenant's provider, once.
 *
 * @returns Where the browser goes: to the sign-in that it began, with a secret that collects the result.
 * @throws {SsoError} Also noted for the tenant's owners.
 */
export async function takeAnswer(
  deps: SsoDeps,
  input: { tenantId: TenantId; answer: ProviderAnswer },
): Promise<{ interaction: string; result: string }> {
  const { tenantId, answer } = input;
  const stateHash = hashSecret(toState(answer));
  const [attempt, row] = await deps.transact.asOperator(
    async (tx) => [
      await takeAttempt(tx, { stateHash, tenantId, now: deps.clock.now() }),
      await findConnection(tx, tenantId),
    ],
    SIGN_INS,
  );
  if (attempt === undefined) {
    // Anyone can send such an answer: the owners are not told.
    throw new SsoError("sso_failed", "The answer belongs to no sign-in that was begun here.");
  }
  if (row === undefined || !row.enabled) {
    throw new SsoError("sso_off", "Single sign-on was switched off meanwhile.");
  }
  try {
    const person = await readPerson(deps, { row, attempt, answer });
    await assertOwnAddress(deps, tenantId, person.email);
    const result = drawSecret(deps);
    await deps.transact.asOperator(
      (tx) => insertResult(tx, attempt, { ...person, resultHash: hashSecret(result) }),
      SIGN_INS,
    );
    return { interaction: attempt.interaction, result };
  } catch (error) {
    if (error instanceof SsoError) {
      await deps.transact.asOperator(
        (tx) => noteFailure(tx, { tenantId, reason: error.message, now: deps.clock.now() }),
        SIGN_INS,
      );
    }
    throw error;
  }
}

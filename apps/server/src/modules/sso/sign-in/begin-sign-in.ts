import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { emailDomainOf } from "@turnpike/domain/text/email-domain";
import { SIGN_INS } from "#platform/transact.ts";
import { createOidcProtocol } from "../protocol/oidc.ts";
import { createSamlProtocol } from "../protocol/saml.ts";
import { SsoError } from "../protocol/sso-error.ts";
import { toServiceAddresses } from "../service-addresses.ts";
import type { SsoDeps } from "../sso.ports.ts";
import {
  type ConnectionRow,
  findConnectionOfDomain,
  findConnectionOfSlug,
  noteFailure,
} from "../sso-connections.store.ts";
import { drawSecret, hashSecret, toRequestId } from "./secrets.ts";
import { insertAttempt } from "./sso-attempts.store.ts";
import { toOidcSettings, toSamlSettings } from "./to-settings.ts";

/** Whose provider is asked: that of an address's domain, or of a tenant. */
export type SsoTarget = { email: string } | { slug: string };

const ATTEMPT_MS = 10 * 60_000;

async function findTarget(tx: Tx, by: SsoTarget): Promise<ConnectionRow | undefined> {
  if ("slug" in by) {
    return await findConnectionOfSlug(tx, by.slug);
  }
  const domain = emailDomainOf(by.email);
  return domain === undefined ? undefined : await findConnectionOfDomain(tx, domain);
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError({ code: "SSO_UNAVAILABLE", publicMessage: message, cause });
}

/**
 * Begins a sign-in at a tenant's provider.
 *
 * @param input.interaction - The sign-in of the built-in provider that it answers.
 * @returns Where the browser goes.
 * @throws {AppError} `SSO_UNAVAILABLE` when none is set up for the address or tenant, or when it cannot be reached.
 */
export async function beginSignIn(
  deps: SsoDeps,
  input: { by: SsoTarget; interaction: string },
): Promise<{ redirectTo: string }> {
  const { by, interaction } = input;
  const row = await deps.transact.asOperator((tx) => findTarget(tx, by), SIGN_INS);
  if (row === undefined) {
    throw unavailable(
      "email" in by
        ? "No single sign-on is set up for this address. Sign in another way."
        : "This organization has no single sign-on. Sign in another way.",
    );
  }
  const [state, nonce, codeVerifier] = [drawSecret(deps), drawSecret(deps), drawSecret(deps)];
  const addresses = toServiceAddresses(deps.consoleUrl, { tenantId: row.tenant_id, slug: "" });
  const url = await findSignInUrl(deps, row, { state, nonce, codeVerifier, addresses, by }).catch(
    async (error: unknown) => {
      if (!(error instanceof SsoError)) {
        throw error;
      }
      await deps.transact.asOperator(
        (tx) =>
          noteFailure(tx, {
            tenantId: row.tenant_id,
            reason: error.message,
            now: deps.clock.now(),
          }),
        SIGN_INS,
      );
      throw unavailable(
        `${row.name} cannot be reached. Try again, or ask your administrator.`,
        error,
      );
    },
  );
  const now = deps.clock.now();
  await deps.transact.asOperator(
    (tx) =>
      insertAttempt(tx, {
        state_hash: hashSecret(state),
        tenant_id: row.tenant_id,
        interaction,
        nonce,
        code_verifier: codeVerifier,
        expires_at: new Date(now.getTime() + ATTEMPT_MS),
        now,
      }),
    SIGN_INS,
  );
  return { redirectTo: url.href };
}

async function findSignInUrl(
  deps: SsoDeps,
  row: ConnectionRow,
  attempt: {
    state: string;
    nonce: string;
    codeVerifier: string;
    addresses: ReturnType<typeof toServiceAddresses>;
    by: SsoTarget;
  },
): Promise<URL> {
  const { state, nonce, codeVerifier, addresses, by } = attempt;
  if (row.protocol === "oidc") {
    return await createOidcProtocol(deps).begin(
      await toOidcSettings(deps, row),
      { state, nonce, codeVerifier },
      {
        redirectUri: addresses.redirectUri,
        loginHint: "email" in by ? by.email : undefined,
      },
    );
  }
  return await createSamlProtocol(deps).begin(toSamlSettings(row), addresses, {
    relayState: state,
    requestId: toRequestId(nonce),
  });
}

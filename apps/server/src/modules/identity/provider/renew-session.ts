import type { Provider } from "oidc-provider";
import type { AppServices } from "#platform/app-services.ts";
import { cookieNames, SESSION_SECONDS } from "./create-oidc.ts";
import type { PeopleCall } from "./interactions.routes.ts";

type ProviderSession = Awaited<ReturnType<Provider["Session"]["get"]>>;

/**
 * Makes the session of this browser one of a sign-in that happened now: with another identifier, so that a stolen copy of the old one
 * opens nothing, and without what was given out in it before.
 */
export type RenewSession = (
  call: PeopleCall,
  session: ProviderSession,
  input: { accountId: string; methods: readonly string[] },
) => Promise<void>;

export function createSessionRenewal(
  clock: AppServices["clock"],
  consoleUrl: string,
): RenewSession {
  const secure = consoleUrl.startsWith("https:") ? "; Secure" : "";
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${String(SESSION_SECONDS)}${secure}`;
  return async ({ res }, session, input) => {
    session.resetIdentifier();
    session.loginAccount({
      accountId: input.accountId,
      loginTs: Math.floor(clock.now().getTime() / 1_000),
      amr: [...input.methods],
    });
    session.authorizations = {};
    await session.save(SESSION_SECONDS);
    res.appendHeader(
      "set-cookie",
      `${cookieNames(consoleUrl).session}=${session.jti}; ${attributes}`,
    );
  };
}

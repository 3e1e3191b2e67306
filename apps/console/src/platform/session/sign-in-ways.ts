import { t } from "@lingui/core/macro";
import type { BuiltInProvider } from "./built-in-provider.ts";
import type { LiveSession } from "./live-session.ts";
import type { OidcClient, SignInAttempt, TokenSet } from "./oidc-client.ts";
import {
  type FormOutcome,
  type OpenSignIn,
  type Session,
  SignInError,
  type SignInWindow,
} from "./session.ts";
import type { SessionDeps } from "./session-deps.ts";

export type SignInWays = Pick<
  Session,
  | "signIn"
  | "openSignIn"
  | "register"
  | "startRedirect"
  | "startSso"
  | "completeRedirect"
  | "signInInWindow"
  | "proveElsewhere"
  | "confirmInWindow"
>;

/** Makes the ways to sign in: the built-in provider's forms, another page, a window of another provider. */
export function createSignInWays(
  deps: SessionDeps,
  live: Pick<LiveSession, "getState" | "begin">,
): SignInWays {
  let openWindow: SignInWindow | undefined;

  function openBuiltIn(): { providerId: string; provider: BuiltInProvider; client: OidcClient } {
    const client = deps.builtIn && deps.findClient(deps.builtIn.providerId);
    if (deps.builtIn === undefined || client === undefined) {
      throw new SignInError("no_built_in", t`This service uses another way to sign in.`);
    }
    return { ...deps.builtIn, client };
  }

  /** Opens the built-in provider's form. */
  async function openForm(prompt: string) {
    const { providerId, provider, client } = openBuiltIn();
    const { url, attempt } = await client.begin({ prompt });
    const interaction = await provider.open(url);

    async function send(step: string, body: object): Promise<FormOutcome> {
      const outcome = await provider.answer(interaction, step, body);
      if ("redirectTo" in outcome) {
        const callback = await provider.follow(outcome.redirectTo);
        await live.begin(providerId, await client.finish(callback, attempt));
        return "signed_in";
      }
      return "confirmationSent" in outcome
        ? "confirmation_sent"
        : { ...open, factors: "factors" in outcome ? outcome.factors : undefined };
    }

    const open: OpenSignIn = {
      ask: (step, body) => provider.ask(interaction, step, body),
      finish: async (step, body) => {
        await send(step, body);
      },
    };
    return { open, send };
  }

  function getClient(providerId: string): OidcClient {
    const client = deps.findClient(providerId);
    if (client === undefined) {
      throw new SignInError("unknown_provider", t`This way to sign in is no longer offered.`);
    }
    return client;
  }

  /** Visits a provider in a window, which closes when its answer has been taken. */
  async function visitInWindow(
    opened: SignInWindow,
    prepare: () => Promise<{
      client: OidcClient;
      url: URL;
      attempt: SignInAttempt;
      take: (set: TokenSet) => Promise<void>;
    }>,
  ): Promise<void> {
    openWindow?.replace();
    openWindow = opened;
    try {
      const { client, url, attempt, take } = await prepare();
      const { answer, left } = opened.visit(url, attempt.state);
      const done = answer.then(async (callback) => {
        try {
          await take(await client.finish(callback, attempt));
        } finally {
          opened.close();
        }
      });
      await Promise.race([done, left]);
    } catch (error) {
      if (!(error instanceof SignInError && error.code === "popup_closed")) {
        opened.close();
      }
      throw error;
    }
  }

  async function signInInWindow(providerId: string, opened: SignInWindow): Promise<void> {
    await visitInWindow(opened, async () => {
      const client = getClient(providerId);
      const loginHint = live.getState().user?.email;
      const begun = await client.begin({ way: "window", loginHint });
      return { client, ...begun, take: (set) => live.begin(providerId, set) };
    });
  }

  const proveElsewhere: Session["proveElsewhere"] = async (providerId, opened, steps) => {
    await visitInWindow(opened, async () => {
      const client = getClient(providerId);
      const begun = await client.begin({ way: "window", isAnew: true });
      await steps.announce(begun.attempt.nonce);
      return { client, ...begun, take: (set) => steps.accept(set.idToken) };
    });
  };

  async function confirmInWindow(opened: SignInWindow): Promise<void> {
    await visitInWindow(opened, async () => {
      const { user } = live.getState();
      const client = getClient(user?.providerId ?? "");
      const begun = await client.begin({ way: "window", isAnew: true, loginHint: user?.email });
      return {
        client,
        ...begun,
        take: async (set) => {
          if (set.claims.sub !== user?.subject) {
            throw new SignInError("other_person", "");
          }
          await live.begin(user.providerId, set);
        },
      };
    });
  }

  return {
    signIn: async (credentials) => await (await openForm("login")).send("login", credentials),
    openSignIn: async () => (await openForm("login")).open,
    register: async (registration) =>
      await (await openForm("create")).send("register", registration),
    startRedirect: async (providerId) => {
      const { url, attempt } = await getClient(providerId).begin();
      deps.attempts.write(attempt);
      deps.leaveTo(url);
    },
    startSso: async (target) => {
      const { provider, client } = openBuiltIn();
      const { url, attempt } = await client.begin({ prompt: "login" });
      const address = await provider.leaveForSso(await provider.open(url), target);
      deps.attempts.write(attempt);
      deps.leaveTo(address);
    },
    completeRedirect: async (callback) => {
      const attempt = deps.attempts.take();
      const client = attempt && deps.findClient(attempt.providerId);
      if (attempt === undefined || client === undefined) {
        throw new SignInError(
          "unknown_attempt",
          t`This response does not belong to a sign-in started in this tab.`,
        );
      }
      const set = await client.finish(callback, attempt);
      await live.begin(attempt.providerId, set);
    },
    signInInWindow,
    proveElsewhere,
    confirmInWindow,
  };
}

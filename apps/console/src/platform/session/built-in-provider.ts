import { t } from "@lingui/core/macro";
import { RequestError } from "../error-message.ts";
import type { JsonClient } from "../json-client.ts";
import { type FactorKind, SignInError, type SsoTarget } from "./session.ts";

/** Longer than any of its answers takes. After this the person is asked to try again. */
const TIMEOUT_MS = 15_000;

/** What the form of an interaction leads to. */
export type InteractionOutcome =
  | { redirectTo: string }
  | { confirmationSent: true }
  | { factors: readonly FactorKind[] }
  | { setUp: true };

/** The forms of the built-in provider, answered without leaving the page. */
export interface BuiltInProvider {
  /** Follows an authorization request to its form. @returns The id of the interaction. */
  open(authorizationUrl: URL): Promise<string>;
  /** Asks something within an interaction. */
  ask(interaction: string, step: string, body: object): Promise<unknown>;
  /** Sends a form of an interaction, such as `login`. */
  answer(interaction: string, step: string, body: object): Promise<InteractionOutcome>;
  /** @returns Where the person signs in at their organization's identity provider. */
  leaveForSso(interaction: string, target: SsoTarget): Promise<URL>;
  /** Follows the way back. @returns The address with the code, which is never visited. */
  follow(redirectTo: string): Promise<URL>;
  /** Ends the provider's own session, so that the next person at this device has to sign in. */
  endSession(): Promise<void>;
}

/** @param json - Must send no ID token: no one is signed in yet. */
export function createBuiltInProvider(issuer: string, json: JsonClient): BuiltInProvider {
  const ask = (interaction: string, step: string, body: object) =>
    json({
      method: "POST",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      url: `${issuer}/interaction/${encodeURIComponent(interaction)}/${step}`,
      body,
    });
  const answer: BuiltInProvider["answer"] = async (...step) => toOutcome(await ask(...step));
  return {
    open: async (authorizationUrl) => {
      const url = await follow(authorizationUrl.href);
      const interaction = url.searchParams.get("interaction");
      if (interaction === null) {
        throw new SignInError(
          url.searchParams.get("error") ?? "no_interaction",
          url.searchParams.get("error_description") ??
            t`The sign-in service did not answer as expected.`,
        );
      }
      return interaction;
    },
    ask,
    answer,
    leaveForSso: async (interaction, target) => {
      const outcome = await answer(interaction, "sso", target);
      return new URL("redirectTo" in outcome ? outcome.redirectTo : "");
    },
    follow,
    endSession: async () => {
      await fetch(`${issuer}/session/end`, {
        method: "POST",
        // The answer redirects to a page that is of no use here.
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    },
  };
}

async function follow(href: string): Promise<URL> {
  const response = await fetch(href, {
    credentials: "same-origin",
    headers: { accept: "text/html" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    throw new RequestError(t`The sign-in service failed. Try again in a moment.`, response);
  }
  return new URL(response.url);
}

function toOutcome(answer: unknown): InteractionOutcome {
  if (typeof answer === "object" && answer !== null) {
    if ("redirectTo" in answer && typeof answer.redirectTo === "string") {
      return { redirectTo: answer.redirectTo };
    }
    if ("confirmationSent" in answer && answer.confirmationSent === true) {
      return { confirmationSent: true };
    }
    if ("setUp" in answer && answer.setUp === true) {
      return { setUp: true };
    }
    if ("factors" in answer && Array.isArray(answer.factors)) {
      return { factors: answer.factors };
    }
  }
  throw new SignInError("no_outcome", t`The sign-in service did not answer as expected.`);
}

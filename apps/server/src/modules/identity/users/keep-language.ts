import type { UserId } from "@turnpike/domain/ids/ids";
import type { Language } from "@turnpike/domain/text/languages";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { setUserLanguage } from "./users.store.ts";

/**
 * Keeps the language in which a person reads the console and their mails.
 *
 * @param input.isChosen - False for the language of the page on which they first sign in: it changes no choice.
 */
export async function keepLanguage(
  deps: Pick<AppServices, "transact" | "clock">,
  input: { userId: UserId; language: Language; isChosen: boolean },
): Promise<void> {
  await deps.transact.asOperator(async (tx) => {
    if (await setUserLanguage(tx, { ...input, now: deps.clock.now() })) {
      await insertChange(tx, { kind: "user", tenantId: null, entityId: input.userId });
    }
  }, SIGN_INS);
}

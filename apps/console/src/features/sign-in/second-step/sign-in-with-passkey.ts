import type { AskedPasskey } from "#components/second-factor/factor-calls.ts";
import { answerWithPasskey } from "#components/second-factor/passkeys.ts";
import type { OpenSignIn } from "#platform/session/session.ts";

/** Ends an open sign-in with a passkey, after the password or instead of it. @throws {RequestError} */
export async function signInWithPasskey(open: OpenSignIn): Promise<void> {
  const { options } = (await open.ask("passkey/options", {})) as AskedPasskey;
  await open.finish("passkey", { answer: await answerWithPasskey(options) });
}

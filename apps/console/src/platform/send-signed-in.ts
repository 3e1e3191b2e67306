import { loadServerWords } from "./server-words/server-words.ts";

/**
 * The ID token to send; undefined when no one is signed in.
 *
 * @param refused - One that the service did not take: another one is asked for, if there can be any.
 * @param isOver - True when its session was ended by the provider: then there can be none, and the session ends here too.
 */
export type GetIdToken = (refused?: string, isOver?: boolean) => Promise<string | undefined>;

const UNAUTHENTICATED = 401;
/** How the service says that a session was ended, and not only its token. */
const SIGNED_OUT = 'error_description="signed_out"';

/**
 * Sends a request as the person who is signed in. A token may be dead before its time, after a new password or a long sleep of
 * the device: it is renewed, and the request, of which nothing was done, is sent once more.
 *
 * @param send - Sends the request anew each time; undefined: without a token.
 */
export async function sendSignedIn(
  getIdToken: GetIdToken,
  send: (idToken: string | undefined) => Promise<Response>,
): Promise<Response> {
  const idToken = await getIdToken();
  const [answer] = await Promise.all([send(idToken), loadServerWords()]);
  if (answer.status !== UNAUTHENTICATED || idToken === undefined) {
    return answer;
  }
  // Where there is no other, the refusal says it best.
  const isOver = answer.headers.get("www-authenticate")?.includes(SIGNED_OUT) === true;
  const renewed = await getIdToken(idToken, isOver).catch(() => undefined);
  if (renewed === undefined || renewed === idToken) {
    return answer;
  }
  await answer.body?.cancel();
  return await send(renewed);
}

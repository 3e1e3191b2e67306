import { t } from "@lingui/core/macro";
import { listenForReturn } from "./return-channel.ts";
import { SignInError } from "./session.ts";

/** A provider that shows a form where it should have answered has loaded it by then, in milliseconds. */
const ANSWER_TIMEOUT_MS = 8_000;
/** What a frame has loaded is no answer unless it says so within this, in milliseconds. */
const AFTER_LOAD_MS = 1_000;

/**
 * Asks a provider in an invisible frame whether the person is still signed in there (`prompt=none`).
 *
 * @returns The address with its answer, which may be a refusal.
 * @throws {SignInError} `sign_in_needed` when there is none: the provider allows no frames, or shows a form. A TypeError
 *   while the browser has no connection.
 */
export async function askInFrame(page: Window, url: URL, state: string): Promise<URL> {
  const { answer, close } = listenForReturn(state);
  const frame = page.document.createElement("iframe");
  const { promise: noAnswer, reject } = Promise.withResolvers<never>();
  const giveUp = (): void =>
    reject(
      page.navigator.onLine
        ? new SignInError("sign_in_needed", "")
        : new TypeError("No connection"),
    );
  const timers = [setTimeout(giveUp, ANSWER_TIMEOUT_MS)];
  frame.addEventListener("load", () => timers.push(setTimeout(giveUp, AFTER_LOAD_MS)));
  frame.hidden = true;
  frame.title = t`Sign-in`;
  frame.src = url.href;
  page.document.body.append(frame);
  try {
    return await Promise.race([answer, noAnswer]);
  } finally {
    for (const timer of timers) {
      clearTimeout(timer);
    }
    frame.remove();
    close();
  }
}

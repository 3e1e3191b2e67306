import { listenForReturn } from "./return-channel.ts";
import { SignInError, type SignInWindow } from "./session.ts";

/** How often a window is looked at, in milliseconds: browsers tell no one that it was closed. */
const LOOK_EVERY_MS = 400;
const SIZE = { width: 480, height: 680 };

/**
 * Opens the window, empty. Must be called in answer to a click, before anything is awaited: browsers block other windows.
 *
 * @throws {SignInError} `popup_blocked`.
 */
export function openSignInWindow(page: Window): SignInWindow {
  const opened = page.open("", "_blank", toFeatures(page));
  if (opened === null) {
    throw new SignInError("popup_blocked", "");
  }
  // The provider's page must not be able to lead this one elsewhere.
  opened.opener = null;
  const { promise: left, reject } = Promise.withResolvers<never>();
  left.catch(() => undefined);
  let timer: ReturnType<typeof setInterval> | undefined;
  let stop = (): void => undefined;
  const close = (): void => {
    clearInterval(timer);
    stop();
    opened.close();
  };
  return {
    visit: (url, state) => {
      const { answer, close: stopListening } = listenForReturn(state);
      stop = stopListening;
      opened.location.replace(url.href);
      timer = setInterval(() => {
        if (opened.closed) {
          clearInterval(timer);
          // A provider that cuts the tie looks closed while the person is there, so its answer is still awaited.
          reject(new SignInError("popup_closed", ""));
        }
      }, LOOK_EVERY_MS);
      return { answer, left };
    },
    replace: () => {
      close();
      reject(new SignInError("popup_replaced", ""));
    },
    close,
  };
}

/** In the middle of the page's own window. */
function toFeatures(page: Window): string {
  const left = Math.round(page.screenX + (page.outerWidth - SIZE.width) / 2);
  const top = Math.round(page.screenY + (page.outerHeight - SIZE.height) / 3);
  return `popup,width=${String(SIZE.width)},height=${String(SIZE.height)},left=${String(left)},top=${String(top)}`;
}

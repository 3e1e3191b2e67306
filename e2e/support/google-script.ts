import type { BrowserContext } from "playwright-core";

/**
 * Takes the place of `https://apis.google.com/js/api.js`, which Firebase's client and the frame of its emulator load from Google and which
 * no package has: messages between a page and its frame, by the names that both use. Like the original it makes trusted types of
 * its own, which the policy of the page must allow.
 */
const SCRIPT = `(() => {
  globalThis.trustedTypes?.createPolicy("gapi#gapi", { createScriptURL: (address) => address });
  let sent = 0;
  function connect(target, origin) {
    const handlers = new Map([["ping", () => "pong"]]);
    const waiting = new Map();
    // What the frame says before anyone listens waits, as it does with Google's.
    const early = [];
    const answer = async ({ id, type, message }) => {
      const value = await handlers.get(type)(message);
      target()?.postMessage({ stand: "in", answer: id, value }, "*");
    };
    window.addEventListener("message", ({ source, data }) => {
      if (source !== target() || data?.stand !== "in") return;
      if (data.answer !== undefined) {
        waiting.get(data.answer)?.(data.value);
        waiting.delete(data.answer);
        return;
      }
      if (handlers.has(data.type)) {
        void answer(data);
      } else {
        early.push(data);
      }
    });
    const send = (type, message, then) => {
      const id = String((sent += 1));
      waiting.set(id, (value) => then?.([value]));
      target()?.postMessage({ stand: "in", id, type, message }, origin);
    };
    return {
      send,
      register: (type, handler) => {
        handlers.set(type, handler);
        for (const data of early.splice(0)) {
          if (handlers.has(data.type)) {
            void answer(data);
          } else {
            early.push(data);
          }
        }
      },
      restyle: () => Promise.resolve(),
      ping: (then) => new Promise((resolve) => {
        const timer = setInterval(() => send("ping", null, (value) => {
          clearInterval(timer);
          then?.(value);
          resolve(value);
        }), 50);
      }),
    };
  }
  const toParent = connect(() => window.parent, "*");
  const context = {
    getParentIframe: () => toParent,
    open: ({ url, where, attributes }, onOpen) => {
      const frame = document.createElement("iframe");
      Object.assign(frame.style, attributes.style);
      frame.setAttribute("aria-hidden", "true");
      frame.tabIndex = -1;
      frame.src = url;
      where.append(frame);
      return onOpen(connect(() => frame.contentWindow, new URL(url).origin));
    },
  };
  window.gapi = {
    load: (name, { callback }) => {
      window.gapi.iframes = {
        CROSS_ORIGIN_IFRAMES_FILTER: () => true,
        Iframe: Object,
        getContext: () => context,
      };
      setTimeout(callback);
    },
  };
  const called = new URL(document.currentScript.src).searchParams.get("onload");
  window[called ?? "gapi_onload"]?.();
})();`;

/** Answers for Google and for the style of the emulator's pages, so that a journey needs no network. */
export async function serveGoogleScript(context: BrowserContext): Promise<void> {
  await context.route("https://apis.google.com/**", (route) =>
    route.fulfill({ contentType: "text/javascript", body: SCRIPT }),
  );
  await context.route(/^https:\/\/(unpkg\.com|fonts\.googleapis\.com)\//, (route) => route.abort());
}

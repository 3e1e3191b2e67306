import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readQuery } from "../raw-route.ts";

/**
 * What the `state` of a sign-in in a window or in an invisible frame begins with. Only a `state` of the console's own making gets
 * this page, whose script finds a listener in no other browser.
 */
const RETURN_STATE = /^(?:window|frame)\.[\w-]{1,200}$/;

/** Tells the page that waits where the provider has led us, and goes. Says so to a person when no page waits. */
const SCRIPT = `
const { href, searchParams } = new URL(location.href);
const channel = new BroadcastChannel("sign-in:" + searchParams.get("state"));
history.replaceState(null, "", location.pathname);
channel.onmessage = () => { channel.close(); window.close(); };
channel.postMessage(href);
setTimeout(() => { document.getElementById("lost").hidden = false; }, 3000);
`;

const STYLE = "body{font:1rem/1.5 system-ui,sans-serif;margin:3rem 1.5rem;color-scheme:light dark}";

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");

const PAGE = Buffer.from(
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>Signing in</title><style>${STYLE}</style></head><body>` +
    `<p role="status">Signing you in…</p>` +
    `<p id="lost" hidden>The page that opened this window is gone. Close this window and start again.</p>` +
    `<script>${SCRIPT}</script></body></html>`,
);

/** Our own pages may frame it, and it stays tied to the page that opened it: otherwise neither could hear from it. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-length": PAGE.length,
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(SCRIPT)}'`,
    `style-src 'sha256-${hashOf(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "cross-origin-opener-policy": "unsafe-none",
};

/** True when a provider answers a sign-in that runs in a window or a frame of the console. */
export function isSignInReturn(req: IncomingMessage): boolean {
  return RETURN_STATE.test(readQuery(req).get("state") ?? "");
}

/** Sends the page of the way back: it knows nothing and shows nothing, and ends itself. */
export function sendSignInReturn(req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(200, HEADERS);
  res.end(req.method === "HEAD" ? undefined : PAGE);
}

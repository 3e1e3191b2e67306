import type { IncomingMessage, ServerResponse } from "node:http";

const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

function findUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** True for a browser that opens a page. Programs and scripts get what is at the address they asked for. */
function opensPage({ method, headers }: IncomingMessage): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && headers.accept?.includes("text/html") === true;
}

/**
 * Sends people who opened a page by another name of this machine to the console's own address: signing in works only
 * there, because tokens, cookies and allowed origins belong to it.
 *
 * Other addresses are served as they are. A proxy in front may have rewritten the Host header, and a redirect to the
 * address the browser already shows would never end.
 *
 * @param consoleUrl - The only place that is ever redirected to: nothing of the Host header is repeated.
 * @returns A function that answers true when it has redirected.
 */
export function createPageRedirect(
  consoleUrl: string,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const own = new URL(consoleUrl);
  if (own.protocol !== "http:" || !LOOPBACK_NAME.test(own.hostname)) {
    return () => false;
  }
  return (req, res) => {
    const { host = "" } = req.headers;
    if (host === own.host || !opensPage(req)) {
      return false;
    }
    const asked = /^[\w.:[\]-]+$/.test(host) ? findUrl(`http://${host}`) : undefined;
    const isSameMachine =
      asked !== undefined && asked.port === own.port && LOOPBACK_NAME.test(asked.hostname);
    if (!isSameMachine || asked.hostname === own.hostname) {
      return false;
    }
    // Temporary and uncached: the public address may be configured later. Browsers keep the fragment, where a setup code is.
    res.writeHead(307, {
      location: own.origin + (req.url ?? "/"),
      "cache-control": "no-store",
      vary: "Accept",
      "content-length": 0,
    });
    res.end();
    return true;
  };
}

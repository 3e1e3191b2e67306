/** Where this installation is, without slashes at the end. */
export type OwnAddresses = { consoleUrl: string; gatewayUrl: string };

const FENCE = /^\s*(?:```|~~~)/;
/** The addresses that the repository's pages use in samples: those of a start without settings, and of an example. */
const CONSOLE = /http:\/\/localhost:3000|https:\/\/console\.example\.com/g;
const GATEWAY = /http:\/\/localhost:3001/g;

/**
 * Gives the code samples of a Markdown text the addresses of this installation, so that they can be copied. Text around
 * them is left alone: it may speak of the defaults.
 */
export function withOwnAddresses(source: string, { consoleUrl, gatewayUrl }: OwnAddresses): string {
  let isCode = false;
  const lines = source.split("\n").map((line) => {
    if (FENCE.test(line)) {
      isCode = !isCode;
    }
    return isCode
      ? line.replace(CONSOLE, () => consoleUrl).replace(GATEWAY, () => gatewayUrl)
      : line;
  });
  return lines.join("\n");
}

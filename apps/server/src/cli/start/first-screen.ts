import type { Readiness } from "../../run-product.ts";
import { commandHere } from "./command-here.ts";

/**
 * What a person reads who puts Turnpike in front of an API for the first time.
 *
 * @param look.isAnswering - Whether the API took a connection a moment ago.
 */
export function toFirstScreen(
  { config, urls, upstream, setupCode }: Readiness,
  { isAnswering }: { isAnswering: boolean },
): string {
  const command = commandHere(config);
  const address = config.upstreams?.[0]?.url;
  const warning = isAnswering
    ? ""
    : `\n  Nothing answers at ${String(address)} yet: calls get 502 until your API is started.\n`;
  const portal =
    setupCode === undefined
      ? urls.console
      : `${urls.console}/register#setup=${setupCode}\n           makes you the operator; works once`;
  return `
${config.brand.name} is ready.

  Portal   ${portal}
  Gateway  ${urls.gateway} -> ${address ?? upstream}
  Data     ${config.dataFolder}
${warning}
  The first call, from a second terminal here:

    ${command} try

  Ctrl+C ends it, and the same command goes on where it was.
`;
}

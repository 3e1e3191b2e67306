import { type Cli, examples, optionParser } from "../cli.ts";
import { UsageError } from "../usage-error.ts";
import { parseUpstreamAddress } from "./parse-address.ts";
import { readNamedDocument } from "./read-document.ts";

const PORT_MAX = 65_535;

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) {
    throw new UsageError(`"${text}" is no port from 0 to ${String(PORT_MAX)}`);
  }
  return port;
}

/** `turnpike start …`, and `turnpike <address>` for short: the product itself. */
export function addStartCommand(cli: Cli): void {
  cli.program
    .command("start")
    .description(
      "put keys, limits, metering and a portal in front of an API, and serve until Ctrl+C; `turnpike <address>` for short",
    )
    .argument("[address]", "where the API is; left out: as turnpike.yaml says, or the demo API")
    .option("--openapi <file|address>", "its OpenAPI document: names of routes, and the first call")
    .option(
      "--port <port>",
      "port of the portal; the gateway gets the next one. Left out: 3000, or others that are free",
      optionParser(parsePort),
    )
    .option("--gateway-port <port>", "port of the gateway", optionParser(parsePort))
    .option("--data <folder>", "where everything is kept; left out: .turnpike in this folder")
    .addHelpText(
      "after",
      examples(
        "start http://localhost:8080",
        "http://localhost:8080 --openapi openapi.yaml",
        "start https://api.example.com/v1 --port 4000 --data /var/lib/turnpike/maps",
        "start",
      ),
    )
    .action(async (address, { openapi, port, gatewayPort, data }) => {
      const { startProduct } = cli.environment;
      if (startProduct === undefined) {
        throw new UsageError("the product cannot be started from here");
      }
      if (address === undefined && openapi !== undefined) {
        throw new UsageError("--openapi describes the API at an address: name the address as well");
      }
      const url = address === undefined ? undefined : parseUpstreamAddress(address);
      const document =
        url === undefined || openapi === undefined
          ? undefined
          : await readNamedDocument({ named: openapi, upstreamUrl: url, toPath: cli.toPath });
      const { source, samplePath } = document ?? { source: undefined, samplePath: undefined };
      await startProduct({
        upstream: url === undefined ? undefined : { url, openapi: source, samplePath },
        port,
        gatewayPort,
        dataFolder: data === undefined ? undefined : cli.toPath(data),
      });
    });
}

import { makeProductHome } from "@turnpike/testkit/product";

/** The real product, running in a process and a data folder of its own. */
export interface Instance extends AsyncDisposable {
  consoleUrl: string;
  gatewayUrl: string;
  dataFolder: string;
  /** Everything it has printed so far. */
  output(): string;
  /** The setup link that a fresh installation prints. */
  setupLink(): string;
  /** The variables with which a command line talks to this instance. */
  environment: Readonly<Record<string, string>>;
}

/**
 * Starts the product on free ports and waits until it is ready.
 *
 * @param environment - Added to the product's variables.
 * @throws {Error} With what it printed, when it ends or is not ready in time.
 */
export async function startInstance(
  environment: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const home = await makeProductHome(environment);
  try {
    const server = await home.startServer();
    return {
      consoleUrl: `http://localhost:${String(server.port)}`,
      gatewayUrl: `http://localhost:${String(server.gatewayPort)}`,
      dataFolder: home.dataFolder,
      environment: home.environment,
      output: server.output,
      setupLink: () => readSetupLink(server.output()),
      [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
    };
  } catch (error) {
    await home[Symbol.asyncDispose]();
    throw error;
  }
}

function readSetupLink(output: string): string {
  const link = /https?:\/\/\S+\/register#setup=[^\s"\\]+/.exec(output)?.[0];
  if (link === undefined) {
    throw new Error(`The product printed no setup link:\n${output}`);
  }
  return link;
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { TestProject } from "vitest/node";
import { startInstance } from "./instance.ts";

/** What crosses to the journeys, as JSON. */
export type SharedProduct = {
  consoleUrl: string;
  gatewayUrl: string;
  /** The variables with which a command line talks to it. */
  environment: Readonly<Record<string, string>>;
};

declare module "vitest" {
  export interface ProvidedContext {
    sharedProduct: SharedProduct;
  }
}

/** Receivers of webhooks run on this machine. */
const CONFIG = "webhooks:\n  allowPrivate: [127.0.0.1]\n";

/**
 * Global set-up of the journeys: starts one product for all that need nothing special of theirs. Each brings its own
 * people and tenants.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeTempFolder();
  const config = join(folder.path, "turnpike.yaml");
  await writeFile(config, CONFIG);
  const instance = await startInstance({ TURNPIKE_CONFIG: config });
  project.provide("sharedProduct", {
    consoleUrl: instance.consoleUrl,
    gatewayUrl: instance.gatewayUrl,
    environment: instance.environment,
  });
  return async () => {
    await instance[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
}

import type { TestProject } from "vitest/node";
import { startTestServer } from "./start-test-server.ts";

/** Global set-up of the projects that run on the PostgreSQL that the product ships. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return await startTestServer(project, "embedded");
}

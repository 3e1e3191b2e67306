import type { TestProject } from "vitest/node";
import { startTestServer } from "./start-test-server.ts";

/** Global set-up of the project that runs the database tests again on PostgreSQL 15. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return await startTestServer(project, "oldest");
}

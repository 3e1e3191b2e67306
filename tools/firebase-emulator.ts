import { once } from "node:events";
import { ensureFirebaseTools, startFirebaseEmulator } from "../e2e/support/firebase-emulator.ts";

/** Where Firebase's documentation has it. */
const PORT = 9099;

/** Runs Firebase's emulator of accounts for `npm run dev` until Ctrl+C; installs it first. */
async function main(): Promise<number> {
  console.log("Firebase's emulator: installing it takes about a minute the first time …");
  const problem = await ensureFirebaseTools();
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  await using emulator = await startFirebaseEmulator(PORT);
  console.log(`Firebase's emulator listens on ${emulator.url}. Ctrl+C ends it.`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  return 0;
}

process.exitCode = await main();

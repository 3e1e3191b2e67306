import { StartupError, toStartupLine } from "#platform/startup-error.ts";
import { readConfig } from "./config.ts";
import { runProduct } from "./run-product.ts";

async function main(): Promise<void> {
  await runProduct(
    readConfig(process.env, {
      isRoot: process.getuid?.() === 0,
      workingFolder: process.cwd(),
    }),
  );
}

main().catch((error: unknown) => {
  const isKnown = error instanceof StartupError;
  process.stderr.write(isKnown ? `${toStartupLine(error)}\n` : "");
  if (!isKnown) {
    process.stderr.write(`turnpike: it did not start, and this is a fault of ours:\n`);
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
  process.exit(1);
});

import type { Reporter, TestModule } from "vitest/node";

/** Says which files were still under way when a run is ended from outside: without it, nobody learns what hung. */
export default class UnfinishedReporter implements Reporter {
  readonly #running = new Set<string>();

  onInit(): void {
    process.once("SIGTERM", () => {
      for (const file of this.#running) {
        console.error(`turnpike: not ended: ${file}`);
      }
    });
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(module.relativeModuleId);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId);
  }
}

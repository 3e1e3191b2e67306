import type { Journal } from "#platform/journal.ts";
import type { Logger } from "#platform/logger.ts";

/** Writes records to the journal and knows whether it accepts them. */
export class JournalWriter {
  readonly #journal: Journal;
  readonly #logger: Logger;
  #trouble: string | undefined;

  constructor({ journal, logger }: { journal: Journal; logger: Logger }) {
    this.#journal = journal;
    this.#logger = logger;
  }

  /** Undefined while the journal accepts writes. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** @throws {Error} When the journal refuses at once, such as on a full disk. */
  append(record: Buffer): ReturnType<Journal["append"]> {
    // A sync of what was written before the disk refused proves nothing.
    const isTrial = this.#trouble !== undefined;
    const refuse = (error: unknown) => this.#recordTrouble(error);
    try {
      const written = this.#journal.append(record);
      written.durable.then(() => {
        if (isTrial) {
          this.#trouble = undefined;
        }
      }, refuse);
      return written;
    } catch (error) {
      refuse(error);
      throw error;
    }
  }

  /** Tries once more a journal that refused, with an empty record that is not kept: while calls are refused, there is no other. */
  retry(makeRecord: () => Buffer): void {
    if (this.#trouble === undefined) {
      return;
    }
    try {
      const { position, durable } = this.append(makeRecord());
      const release = () => this.#journal.release(position);
      durable.then(release, release);
    } catch {
      // Recorded already.
    }
  }

  #recordTrouble(error: unknown): void {
    const what = "The journal cannot be written";
    if (this.#trouble === undefined) {
      this.#logger.error({ err: error }, what);
    }
    this.#trouble = what;
  }
}

import { AppError } from "@turnpike/domain/errors/app-error";

/**
 * Waits for a refusal.
 *
 * @returns The refusal itself, to look into.
 * @throws When the work succeeds, or fails with something that is no {@link AppError}.
 */
export async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) {
    throw new Error(`Expected a refusal, got ${JSON.stringify(outcome.value)}.`);
  }
  if (!(outcome.error instanceof AppError)) {
    throw outcome.error;
  }
  return outcome.error;
}

/**
 * Lets the process live on when its output cannot be written: `npm start | tee log` loses its reader before anything else at
 * Ctrl+C, a terminal goes away with its window, and a log file may lie on a full disk. What is written meanwhile is lost; the
 * calls under way and the database must not be.
 */
export function outliveOutput(...outputs: readonly NodeJS.WriteStream[]): void {
  for (const output of outputs) {
    // An unhandled error of a stream ends the process. There is nowhere left to report this one.
    output.on("error", () => undefined);
  }
}

/**
 * Asks an authority whether a tax id exists. None is built in, so that nothing is sent anywhere unless the operator wants it.
 *
 * @returns `unknown` while the authority does not answer; then the id stays pending.
 */
export type TaxIdChecker = (taxId: string) => Promise<"confirmed" | "invalid" | "unknown">;

/** An instant as it is stored and answered; null where there is none. */
export function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

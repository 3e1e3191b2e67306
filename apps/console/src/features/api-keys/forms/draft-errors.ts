/** What is wrong with a form, by JSON pointers (RFC 6901) into its request: the same before and after the server was asked. */
export type DraftErrors = Readonly<Record<string, string>>;

/** What is wrong with a field itself or, for one that holds others, with the first of those. Undefined when nothing is. */
export function errorAt(errors: DraftErrors, pointer: string): string | undefined {
  const below = Object.keys(errors).find((one) => one === pointer || one.startsWith(`${pointer}/`));
  return below === undefined ? undefined : errors[below];
}

/** Each sentence once, in the order of the form. */
export function listErrors(errors: DraftErrors): string[] {
  return [...new Set(Object.values(errors))];
}

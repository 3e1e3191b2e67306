/** A language model behind an OpenAI-compatible endpoint, as the operator configured it. */
export type ModelSettings = {
  /** Base address. */
  url: string;
  name: string;
  /** Undefined: the endpoint wants none. */
  key: string | undefined;
  isEnabled: boolean;
  /** Of one tenant, by UTC days. */
  tokensPerDay: number;
  /** Of one step. */
  answerTokensMax: number;
  /** Of a whole answer. */
  timeoutMs: number;
};

/** Where questions are sent. */
export function hostOf({ url }: ModelSettings): string {
  return new URL(url).host;
}

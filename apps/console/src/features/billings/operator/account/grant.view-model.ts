/** Credit as it is typed. */
export type GrantDraft = {
  kind: "promotional" | "prepaid";
  amount: string;
  /** A day, or empty. */
  expiresOn: string;
  reason: string;
};

export const EMPTY_GRANT: GrantDraft = {
  kind: "promotional",
  amount: "",
  expiresOn: "",
  reason: "",
};

export function isComplete({ amount, reason }: GrantDraft): boolean {
  return amount.trim() !== "" && reason.trim() !== "";
}

/** What the API takes: credit expires as the day begins, by UTC. */
export function toGrantInput({ kind, amount, expiresOn }: GrantDraft) {
  return {
    kind,
    amount: amount.trim(),
    ...(expiresOn === "" ? {} : { expiresAt: `${expiresOn}T00:00:00.000Z` }),
  };
}

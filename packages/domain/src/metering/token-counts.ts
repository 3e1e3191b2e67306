/** Tokens that a call is made of. Cached tokens count as `input` unless a meter counts them on their own. */
export const TOKEN_KINDS = ["input", "cacheRead", "cacheWrite", "output"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Tokens by kind; no token is in two of them. */
export type TokenCounts = Record<TokenKind, number>;

/** A body of bytes. */
export const anyFile = { type: "string", format: "binary" } as const;

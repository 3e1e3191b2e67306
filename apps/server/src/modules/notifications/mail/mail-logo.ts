/** The operator's logo as a PNG, small enough to be in every mail; undefined without one. It never rejects. */
export type FindMailLogo = () => Promise<Uint8Array | undefined>;

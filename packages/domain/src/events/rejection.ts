/** Why an event is not recorded. */
export const REJECTION_CODES = [
  /** Not a CloudEvent 1.0, or an attribute is missing, too long or malformed. */
  "INVALID_EVENT",
  "EVENT_TOO_LARGE",
  /** No meter counts events of this type. */
  "UNKNOWN_TYPE",
  /** The tenant does not exist, or none is named. */
  "UNKNOWN_SUBJECT",
  /** A tenant's key names another tenant. */
  "FOREIGN_SUBJECT",
  "TOO_OLD",
  "TOO_FAR_AHEAD",
  /** A meter finds no value in the data, or one that it cannot count. */
  "INVALID_VALUE",
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

export type Rejection = {
  code: RejectionCode;
  /** A sentence for people. */
  reason: string;
};

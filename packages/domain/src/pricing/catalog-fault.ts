/** Why a catalogue cannot work. */
export const CATALOG_FAULT_CODES = [
  "tiers_open",
  "tiers_order",
  "unknown_member",
  "unknown_model",
  "unknown_meter",
  "meter_not_additive",
  "percentage_needs_sum",
  "flat_with_meter",
  "needs_meter",
  "usage_in_advance",
  "minimum_over_maximum",
  "no_worst_margin",
  "too_precise",
  "bad_value",
  "bad_interval",
  "phase_duration",
  "several_quotas",
  "several_refills",
  "not_whole",
  "twice",
] as const;
export type CatalogFaultCode = (typeof CATALOG_FAULT_CODES)[number];

export type CatalogFault = {
  readonly code: CatalogFaultCode;
  /** JSON pointer (RFC 6901) to the mistake. */
  readonly pointer: string;
  /** One sentence that says what to do instead. */
  readonly message: string;
};

/** Reads one part of a document and collects its mistakes, in the order of the document. */
export type Reader = {
  readonly pointer: string;
  report(code: CatalogFaultCode, message: string): void;
  /** The reader of a member. */
  at(member: string | number): Reader;
};

export function createReader(faults: CatalogFault[], pointer = ""): Reader {
  return {
    pointer,
    report: (code, message) => faults.push({ code, pointer, message }),
    at: (member) =>
      createReader(
        faults,
        `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`,
      ),
  };
}

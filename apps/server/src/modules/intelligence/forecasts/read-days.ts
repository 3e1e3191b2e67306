import type { UsageDays } from "@turnpike/domain/forecast/usage-days";

export type DaysOfMeter = { meter: string; name: string; unit: string; days: UsageDays };

export type ReadDays = {
  /** Usage up to here is counted: the last hour that has settled. */
  asOfMs: number;
  meters: readonly DaysOfMeter[];
};

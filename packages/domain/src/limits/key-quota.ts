/** A hard limit of one key, below the quota of its tenant. Calls beyond it are refused. */
export type KeyQuota = {
  meter: string;
  /** Whole units of the meter in one billing period of the tenant, 0 or more. */
  limit: number;
};

import type { Measurement } from "@turnpike/domain/events/measure-event";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** The value of all dimensions of an event once there are too many combinations. */
export const OTHER = "(other)";

/**
 * The most combinations of dimensions that a process distinguishes in a day. The first of each meter and tenant are reserved, the
 * others come from a shared allowance: otherwise tenants with many values would leave none to a tenant with one.
 */
const COMBINATIONS_MAX = { perTenantMax: 1_000, reservedPerTenant: 50, sharedMax: 200_000 };

const DAY_MS = 24 * 3_600_000;

export type DimensionRegistry = {
  /** The dimensions to store: the event's own, or {@link OTHER} for each once the day has seen too many. */
  keep(tenantId: TenantId, measurement: Measurement, nowMs: number): readonly string[];
};

/** Bounds the rollups of one meter and tenant: ids as a dimension would create one for each event. */
export function createDimensionRegistry(bounds = COMBINATIONS_MAX): DimensionRegistry {
  let day = Number.NaN;
  let shared = 0;
  let met = new Map<string, Set<string>>();

  return {
    keep: (tenantId, { meter, dimensions }, nowMs) => {
      if (dimensions.length === 0) {
        return dimensions;
      }
      const today = Math.floor(nowMs / DAY_MS);
      if (today !== day) {
        day = today;
        shared = 0;
        met = new Map();
      }
      const place = `${tenantId} ${meter.meterId}`;
      const known = met.get(place) ?? new Set<string>();
      met.set(place, known);
      const combination = JSON.stringify(dimensions);
      if (known.has(combination)) {
        return dimensions;
      }
      const isReserved = known.size < bounds.reservedPerTenant;
      if (known.size >= bounds.perTenantMax || (!isReserved && shared >= bounds.sharedMax)) {
        return dimensions.map(() => OTHER);
      }
      known.add(combination);
      shared += isReserved ? 0 : 1;
      return dimensions;
    },
  };
}

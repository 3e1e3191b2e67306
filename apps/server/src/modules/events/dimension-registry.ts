import type { Measurement } from "@turnpike/domain/events/measure-event";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What the dimensions of an event become when there are too many different ones. */
export const OTHER = "(other)";

/**
 * Combinations of dimensions that a process tells apart in a day. The first of each meter and tenant are its own, and further
 * ones come out of what all share: else those with many values would take the last place from one with a single value.
 */
const COMBINATIONS_MAX = { perTenantMax: 1_000, reservedPerTenant: 50, sharedMax: 200_000 };

const DAY_MS = 24 * 3_600_000;

export type DimensionRegistry = {
  /** The dimensions to keep: the event's own, or {@link OTHER} for each when the day has met too many. */
  keep(tenantId: TenantId, measurement: Measurement, nowMs: number): readonly string[];
};

/** Bounds how many rollups one meter of one tenant makes: ids as a dimension would make one for each event. */
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

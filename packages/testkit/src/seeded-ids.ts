import { type NewId, toId } from "@turnpike/domain/ids/ids";

/**
 * Mints ids that count up, so that a run repeats itself and ids sort by their making.
 *
 * @param seed - Keeps the ids of several sources apart, 0 to 65,535.
 */
export function createSeededIds(seed = 0): NewId {
  const source = seed.toString(16).padStart(4, "0");
  let minted = 0;
  return (kind) => {
    minted += 1;
    const count = minted.toString(16).padStart(12, "0");
    return toId(
      kind,
      `${count.slice(0, 8)}-${count.slice(8)}-7000-8000-${source}${count.slice(4)}`,
    );
  };
}

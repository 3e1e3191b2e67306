import { expect } from "vitest";
import { toScaled } from "../../money/decimal.ts";
import { playStory } from "./play-story.ts";

/** Lists whose items are compared by position; of all others these items must be there in this order. */
const BY_POSITION = new Set(["invoices", "creditNotes", "credits"]);
const DECIMAL = /^-?\d+(\.\d{1,12})?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/;

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSameText(want: string, got: unknown): boolean {
  if (typeof got !== "string") {
    return false;
  }
  if (want.startsWith("=")) {
    return got === want.slice(1);
  }
  if (DECIMAL.test(want) && DECIMAL.test(got)) {
    return toScaled(want) === toScaled(got);
  }
  return INSTANT.test(want) && INSTANT.test(got)
    ? Date.parse(want) === Date.parse(got)
    : want === got;
}

function findListDifference(
  want: readonly unknown[],
  got: unknown,
  { path, isByPosition }: { path: string; isByPosition: boolean },
): string | undefined {
  const items = Array.isArray(got) ? got : [];
  let place = 0;
  for (const [index, item] of want.entries()) {
    let difference: string | undefined = `${path}: item ${String(index)} is missing`;
    while (place < items.length && difference !== undefined) {
      difference = findDifference(item, items[place], `${path}[${String(place)}]`);
      place += 1;
      if (isByPosition) {
        break;
      }
    }
    if (difference !== undefined) {
      return difference;
    }
  }
  return;
}

function findMemberDifference(want: Members, got: unknown, path: string): string | undefined {
  const members = isMembers(got) ? got : {};
  for (const [name, value] of Object.entries(want)) {
    const list = name.endsWith("Count") ? members[name.slice(0, -5)] : undefined;
    const length = Array.isArray(list) ? list.length : 0;
    const difference = name.endsWith("Count")
      ? findDifference(value, length, `${path}.${name}`)
      : findDifference(value, members[name], `${path}.${name}`);
    if (difference !== undefined) {
      return difference;
    }
  }
  return;
}

/** The first place where a result is not what is expected of it; members that are not named may be anything. */
function findDifference(want: unknown, got: unknown, path: string): string | undefined {
  if (Array.isArray(want)) {
    const name = path.split(".").at(-1) ?? "";
    return findListDifference(want, got, { path, isByPosition: BY_POSITION.has(name) });
  }
  if (isMembers(want)) {
    return findMemberDifference(want, got, path);
  }
  const isSame = typeof want === "string" ? isSameText(want, got) : want === got;
  return isSame
    ? undefined
    : `${path}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
}

/** Plays a story without its expectations and compares what comes out. */
export function expectStory({ expect: want, ...story }: Members): void {
  const result = playStory(story);
  const expected = isMembers(want) ? want : {};
  expect(findDifference(expected, result, String(story["id"]))).toBeUndefined();
  const refused = Array.isArray(expected["refused"]) ? expected["refused"] : [];
  if ("invoices" in result) {
    expect(result.refused.map(({ step, code }) => ({ step, code }))).toHaveLength(refused.length);
  } else {
    expect(refused).not.toEqual([]);
  }
}

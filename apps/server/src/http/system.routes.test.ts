import { describe, expect, it } from "vitest";
import { type ComponentStatus, toReadiness } from "./system.routes.ts";

const components = (...statuses: ComponentStatus[]) =>
  Object.fromEntries(statuses.map((status, index) => [`component-${String(index)}`, { status }]));

describe("toReadiness", () => {
  it.each<[ComponentStatus[], boolean, string, string]>([
    [["ok", "ok"], false, "ready", "all components work"],
    [["ok", "degraded"], false, "degraded", "calls are served"],
    [["down", "degraded"], false, "unready", "a component that calls need is down"],
    [["ok", "ok"], true, "unready", "the process was asked to stop: no new traffic"],
    [[], false, "ready", "no components"],
  ])("makes of %j, draining %j: %s (%s)", (statuses, isDraining, status) => {
    expect(toReadiness(components(...statuses), isDraining)).toEqual({
      status,
      parts: components(...statuses),
    });
  });
});

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configFile } from "./config-schema.ts";

const PACKAGING = resolve(import.meta.dirname, "../../../packaging");
const read = (file: string) => readFileSync(join(PACKAGING, file), "utf8");

const isConfiguration = (text: string) => configFile.safeParse(parse(text));

describe("what runs the product elsewhere", () => {
  it("is configured by what the product understands", () => {
    const manifests = parseAllDocuments(read("kubernetes.yaml")).map((each) => each.toJS());
    const map = manifests.find(({ kind }) => kind === "ConfigMap");
    for (const text of [read("container/turnpike.yaml"), map.data["turnpike.yaml"]]) {
      expect(isConfiguration(text).error).toBeUndefined();
    }
  });

  it("has several nodes that share their rate limits, and lets no more than one of them go at a time", () => {
    const manifests = parseAllDocuments(read("kubernetes.yaml")).map((each) => each.toJS());
    const find = (wanted: string) => manifests.find(({ kind }) => kind === wanted);
    const { spec } = find("StatefulSet");
    const budget = find("PodDisruptionBudget").spec;
    expect(spec.replicas).toBeGreaterThan(1);
    expect(parse(find("ConfigMap").data["turnpike.yaml"]).rateLimits.store).not.toBe("memory");
    expect(budget.maxUnavailable).toBe(1);
    expect(spec.template.metadata.labels).toMatchObject(budget.selector.matchLabels);
  });

  it("is no root, cannot write but where data is, and says whether it is well", () => {
    const steps = read("container/Dockerfile").match(/^(USER|HEALTHCHECK|ENTRYPOINT)\b/gm);
    expect(steps).toEqual(["USER", "HEALTHCHECK", "ENTRYPOINT"]);
    const { turnpike } = parse(read("container/compose.yaml")).services;
    expect(turnpike).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    const pod = parseAllDocuments(read("kubernetes.yaml"))
      .map((each) => each.toJS())
      .find(({ kind }) => kind === "StatefulSet").spec.template.spec;
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(pod.containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
    expect(pod.containers[0].readinessProbe.httpGet.path).toBe("/health/ready");
  });
});

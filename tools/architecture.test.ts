import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import { findArchitectureProblems } from "./check-architecture.ts";
import { type Cruise, cruise } from "./cruise.ts";
import { plantTree } from "./planted-tree.ts";

const M = "apps/server/src/modules";
const CONSOLE = "apps/console/src";

/** A small, correct tree with one file of every role. */
const CORRECT_TREE = {
  "packages/domain/src/keys/key-status.ts": 'export const KEY_STATUSES = ["active"] as const;\n',
  "packages/contract/src/keys.ts":
    'import { z } from "zod";\nimport { KEY_STATUSES } from "@turnpike/domain/keys/key-status";\nexport const keyStatus = z.enum(KEY_STATUSES);\n',
  "packages/db/src/client.ts":
    'import postgres from "postgres";\nexport const connect = postgres;\n',
  "packages/db/src/database-errors.ts": "export const UNIQUE_VIOLATION = 1;\n",
  "packages/ui/src/button.tsx": "export const buttonClass = 1;\n",
  "packages/testkit/src/fake-clock.ts": "export const fakeClock = 1;\n",
  "apps/server/src/main.ts": 'import "./app.ts";\nimport "./deps.ts";\n',
  "apps/server/src/app.ts":
    'import "#http/problem-details.ts";\nimport { createKey } from "#modules/keys/index.ts";\nexport const app = createKey;\n',
  "apps/server/src/deps.ts": 'import "@turnpike/db/client";\nexport const deps = 1;\n',
  "apps/server/src/platform/clock.ts": "export interface Clock {\n  now(): Date;\n}\n",
  "apps/server/src/platform/transact.ts":
    'import type { connect } from "@turnpike/db/client";\nexport type Tx = typeof connect;\n',
  "apps/server/src/http/problem-details.ts":
    'import type { ServerResponse } from "node:http";\nimport "@turnpike/db/database-errors";\nimport "#platform/clock.ts";\nexport type Reply = ServerResponse;\n',
  [`${M}/audit/index.ts`]: 'export { record } from "./record-entry.ts";\n',
  [`${M}/audit/record-entry.ts`]: "export const record = 1;\n",
  [`${M}/keys/index.ts`]: 'export { createKey } from "./create-key.ts";\n',
  [`${M}/keys/create-key.ts`]:
    'import type { connect } from "@turnpike/db/client";\nimport { insertKey } from "./keys.store.ts";\nimport { record } from "../audit/index.ts";\nexport const createKey = [insertKey, record];\nexport type Tx = typeof connect;\n',
  [`${M}/keys/create-key.test.ts`]:
    'import "@turnpike/testkit/fake-clock";\nimport { insertKey } from "./keys.store.ts";\nexport const probe = insertKey;\n',
  [`${M}/keys/keys.store.ts`]:
    'import type { connect } from "@turnpike/db/client";\nexport const insertKey = (tx: typeof connect) => tx;\n',
  [`${M}/keys/keys.routes.ts`]:
    'import type { IncomingMessage } from "node:http";\nimport "#http/problem-details.ts";\nimport { keyStatus } from "@turnpike/contract/keys";\nimport { createKey } from "./create-key.ts";\nexport const keysRoutes = [createKey, keyStatus] as const;\nexport type Request = IncomingMessage;\n',
  [`${M}/gateway/index.ts`]: 'export { forward } from "./proxy/forward-request.ts";\n',
  [`${M}/gateway/proxy/forward-request.ts`]:
    'import { request } from "undici";\nimport { verify } from "../verify/verify-call.ts";\nexport const forward = [request, verify];\n',
  [`${M}/gateway/verify/verify-call.ts`]:
    'import { KEY_STATUSES } from "@turnpike/domain/keys/key-status";\nexport const verify = KEY_STATUSES;\n',
  [`${M}/billing/index.ts`]: 'export { closePeriod } from "./close-period.ts";\n',
  [`${M}/billing/close-period.ts`]:
    'import { createKey } from "../keys/index.ts";\nexport const closePeriod = createKey;\n',
  [`${CONSOLE}/main.tsx`]: 'import "./routes/keys.tsx";\n',
  [`${CONSOLE}/routes/keys.tsx`]: 'import "../features/keys/keys-page.tsx";\n',
  [`${CONSOLE}/features/keys/keys-page.tsx`]:
    'import { buttonClass } from "@turnpike/ui/button";\nimport { api } from "#platform/api-client.ts";\nexport const page = [buttonClass, api];\n',
  [`${CONSOLE}/features/billing/invoice-page.tsx`]: "export const invoicePage = 1;\n",
  [`${CONSOLE}/platform/api-client.ts`]:
    'import type { keyStatus } from "@turnpike/contract/keys";\nexport const api = 1;\nexport type Key = typeof keyStatus;\n',
  [`${CONSOLE}/components/data-table.tsx`]: "export const table = 1;\n",
  "packages/sdk/src/create-turnpike.ts": "export const createTurnpike = 1;\n",
  "examples/demo-api/server.ts": "export const server = 1;\n",
  "bench/ledger.ts": 'import "../apps/server/src/platform/clock.ts";\n',
};

/** One mistake each: the rule that must catch it, the file it is made in, and the import that makes it. */
const PLANTED = [
  [
    "no-circular",
    `${M}/audit/plant-a.ts`,
    'import type { B } from "./plant-b.ts";\nexport type A = B;',
  ],
  ["no-unresolvable", `${M}/keys/plant-lost.ts`, 'import "./nowhere.ts";'],
  ["domain-is-pure", "packages/domain/src/keys/plant-node.ts", 'import "node:crypto";'],
  ["domain-is-pure", "packages/domain/src/keys/plant-zod.ts", 'import "zod";'],
  ["domain-is-pure", "packages/domain/src/keys/plant-db.ts", 'import "@turnpike/db/client";'],
  [
    "contract-imports-domain-only",
    "packages/contract/src/plant-server.ts",
    'import "@orpc/server";',
  ],
  ["contract-imports-domain-only", "packages/contract/src/plant-node.ts", 'import "node:http";'],
  [
    "contract-imports-domain-only",
    "packages/contract/src/plant-db.ts",
    'import "@turnpike/db/client";',
  ],
  [
    "db-imports-domain-only",
    "packages/db/src/plant-contract.ts",
    'import "@turnpike/contract/keys";',
  ],
  ["db-imports-domain-only", "packages/db/src/plant-zod.ts", 'import "zod";'],
  ["ui-is-standalone", "packages/ui/src/plant-contract.tsx", 'import "@turnpike/contract/keys";'],
  ["testkit-in-tests-only", `${M}/keys/plant-testkit.ts`, 'import "@turnpike/testkit/fake-clock";'],
  [
    "packages-below-apps",
    "packages/db/src/plant-app.ts",
    'import "../../../apps/server/src/platform/clock.ts";',
  ],
  [
    "bench-starts-the-product",
    "bench/plant-app.ts",
    'import "../apps/server/src/modules/audit/index.ts";',
  ],
  ["bench-ledger-only", "bench/plant-door.ts", 'import "../apps/server/src/platform/clock.ts";'],
  [
    "examples-stand-alone",
    "examples/demo-api/plant-domain.ts",
    'import "../../packages/domain/src/keys/key-status.ts";',
  ],
  [
    "sdk-is-published-alone",
    "packages/sdk/src/plant-contract.ts",
    'import type { Key } from "@turnpike/contract/keys";\nexport type K = Key;',
  ],
  [
    "sdk-for-operators-only",
    "apps/server/src/plant-sdk.ts",
    'import "../../../packages/sdk/src/create-turnpike.ts";',
  ],
  [
    "sdk-for-operators-only",
    "packages/testkit/src/plant-sdk.ts",
    'import "../../sdk/src/create-turnpike.ts";',
  ],
  [
    "nothing-imports-examples",
    "apps/server/src/plant-example.ts",
    'import "../../../examples/demo-api/server.ts";',
  ],
  ["module-order-keys", `${M}/keys/plant-order.ts`, 'import "../billing/index.ts";'],
  ["module-order-entitlements", `${M}/entitlements/plant-order.ts`, 'import "../keys/index.ts";'],
  [
    "module-order-audit",
    `${M}/audit/plant-order-type.ts`,
    'import type { createKey } from "../keys/index.ts";\nexport type C = typeof createKey;',
  ],
  [
    "module-is-in-order",
    "apps/server/src/plant-unordered.ts",
    'import "#modules/wallets/index.ts";',
  ],
  ["module-door", `${M}/billing/plant-door.ts`, 'import "../keys/create-key.ts";'],
  ["app-uses-doors", "apps/server/src/plant-door.ts", 'import "./modules/keys/create-key.ts";'],
  ["app-uses-doors", "apps/server/src/cli/plant-door.ts", 'import "#modules/keys/create-key.ts";'],
  ["door-not-from-inside", `${M}/keys/plant-inside.ts`, 'import "./index.ts";'],
  [
    "plumbing-below-modules",
    "apps/server/src/platform/plant-module.ts",
    'import "#modules/keys/index.ts";',
  ],
  ["plumbing-below-modules", "apps/server/src/http/plant-deps.ts", 'import "#deps.ts";'],
  ["modules-below-app", `${M}/keys/plant-deps.ts`, 'import "#deps.ts";'],
  [
    "platform-below-http",
    "apps/server/src/platform/plant-http.ts",
    'import "#http/problem-details.ts";',
  ],
  ["sql-in-stores-only", `${M}/keys/plant-client.ts`, 'import "@turnpike/db/client";'],
  ["sql-in-stores-only", "apps/server/src/http/plant-client.ts", 'import "@turnpike/db/client";'],
  [
    "driver-in-stores-only",
    `${M}/keys/plant-driver.ts`,
    'import type postgres from "postgres";\nexport type Q = typeof postgres;',
  ],
  ["gateway-has-no-store", `${M}/gateway/plant.store.ts`, 'import "@turnpike/db/client";'],
  ["stores-below-use-cases", `${M}/keys/plant.store.ts`, 'import "../audit/index.ts";'],
  [
    "http-in-routes-only",
    `${M}/keys/plant-node-http.ts`,
    'import type { IncomingMessage } from "node:http";\nexport type R = IncomingMessage;',
  ],
  ["http-in-routes-only", `${M}/keys/plant-undici.ts`, 'import "undici";'],
  ["http-in-routes-only", `${M}/keys/plant-orpc.ts`, 'import "@orpc/server";'],
  ["http-in-routes-only", `${M}/keys/plant-http.ts`, 'import "#http/problem-details.ts";'],
  ["http-in-routes-only", `${M}/gateway/verify/plant.ts`, 'import "node:http";'],
  ["routes-call-use-cases", `${M}/keys/plant.routes.ts`, 'import "./keys.store.ts";'],
  ["routes-call-use-cases", `${M}/keys/plant.jobs.ts`, 'import "./keys.store.ts";'],
  [
    "ports-import-domain-only",
    `${M}/keys/plant.ports.ts`,
    'import type { insertKey } from "./keys.store.ts";\nexport type I = typeof insertKey;',
  ],
  [
    "console-never-sees-server",
    `${CONSOLE}/features/keys/plant-db.ts`,
    'import "@turnpike/db/client";',
  ],
  [
    "console-never-sees-server",
    `${CONSOLE}/features/keys/plant-type.ts`,
    'import type { Clock } from "../../../../server/src/platform/clock.ts";\nexport type C = Clock;',
  ],
  [
    "server-never-sees-console",
    "apps/server/src/http/plant-console.ts",
    'import "../../../console/src/platform/api-client.ts";',
  ],
  ["browser-has-no-node", `${CONSOLE}/platform/plant-node.ts`, 'import "node:fs";'],
  ["browser-has-no-validation-library", `${CONSOLE}/platform/plant-zod.ts`, 'import "zod";'],
  [
    "browser-takes-contract-types-only",
    `${CONSOLE}/platform/plant-contract.ts`,
    'import { keyStatus } from "@turnpike/contract/keys";\nexport const k = keyStatus;',
  ],
  [
    "features-are-islands",
    `${CONSOLE}/features/keys/plant-island.tsx`,
    'import "../billing/invoice-page.tsx";',
  ],
  [
    "features-below-routes",
    `${CONSOLE}/features/keys/plant-route.tsx`,
    'import "../../routes/keys.tsx";',
  ],
  [
    "shared-below-features",
    `${CONSOLE}/components/plant-feature.tsx`,
    'import "../features/billing/invoice-page.tsx";',
  ],
] as const;

/** What some of the plants lean on. */
const PLANT_COMPANIONS = {
  [`${M}/audit/plant-b.ts`]: 'import type { A } from "./plant-a.ts";\nexport type B = A;\n',
  [`${M}/wallets/index.ts`]: "export const wallet = 1;\n",
};

const FOLDERS = ["apps", "packages", "examples", "bench"];

async function cruiseTree(files: Record<string, string>): Promise<Cruise> {
  const tree = await plantTree(files);
  try {
    return await cruise({ root: tree.root, folders: FOLDERS });
  } finally {
    await tree.remove();
  }
}

describe("the one-way rule", () => {
  it("accepts a small correct tree with one file of every role", async () => {
    const correct = await cruiseTree(CORRECT_TREE);
    expect(correct.violations).toEqual([]);
    expect(correct.modules.length).toBeGreaterThanOrEqual(Object.keys(CORRECT_TREE).length);
  });

  it("is checked on every source file: one that was not read is a mistake", async () => {
    const tree = await plantTree(CORRECT_TREE);
    try {
      const unread = "packages/sdk/src/create-turnpike.ts was not read";
      const read = FOLDERS.filter((folder) => folder !== "packages");
      expect(await findArchitectureProblems(tree.root, FOLDERS)).toEqual([]);
      expect(await findArchitectureProblems(tree.root, read)).toEqual([unread]);
    } finally {
      await tree.remove();
    }
  });

  describe("catches a planted violation", () => {
    let planted: Cruise;

    beforeAll(async () => {
      const plants = PLANTED.map(([, path, text]) => [path, `${text}\n`]);
      planted = await cruiseTree({
        ...CORRECT_TREE,
        ...PLANT_COMPANIONS,
        ...Object.fromEntries(plants),
      });
    });

    it.each(PLANTED)("%s, in %s", (rule, from) => {
      expect(planted.violations.filter((violation) => violation.from === from)).toContainEqual(
        expect.objectContaining({ rule }),
      );
    });

    it("of every rule there is: a rule without a plant has never been seen to work", () => {
      const configuration: { forbidden: { name: string }[] } = createRequire(import.meta.url)(
        "../.dependency-cruiser.cjs",
      );
      const rules = configuration.forbidden.map(({ name }) => name);
      const proven = new Set<string>(PLANTED.map(([rule]) => rule));
      const moduleOrder = (rule: string) => rule.startsWith("module-order-");
      expect(rules.filter((rule) => !(moduleOrder(rule) || proven.has(rule)))).toEqual([]);
      expect(rules.filter(moduleOrder)).toHaveLength(19);
    });
  });
});

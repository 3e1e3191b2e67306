/**
 * The one-way rule, as code: what is below never imports what is above or beside it.
 * This file is the architecture. A new edge in the source starts with a change here, with its reason.
 */

/** The rooms of the server, lowest first: a module may use only those before it. */
const MODULE_ORDER = [
  "audit",
  "files",
  "documents",
  "notifications",
  // Above what it writes down and mails: a claimed setup code, a forgotten password.
  "identity",
  "tenants",
  // Makes the people of a tenant's own provider its members.
  "sso",
  "catalog",
  // What a tenant may do now: above the plans it is on, below the keys and the metering that ask.
  "entitlements",
  "keys",
  // Where tenants of all cells live: above what is entered there, which knows it by a port of the platform.
  "cells",
  "metering",
  "events",
  "gateway",
  "analytics",
  "billing",
  "alerts",
  "intelligence",
  // Asks about everything that a tenant has.
  "agents",
  // Moves everything that the others have.
  "moves",
];

const SERVER = "^apps/server/src";
const MODULES = `${SERVER}/modules`;
const CONSOLE = "^apps/console/src";
/** Tests, what sets their stage, and suites that several of them run. */
const TEST = "[.](test|spec|fixture|suite)[.]tsx?$";
const STORE = "[.]store[.]ts$";
const ROUTES = "[.]routes[.]ts$";

/** The places on the server that may hold a database connection. */
const SQL_HOLDERS = [
  STORE,
  TEST,
  `${SERVER}/platform/(transact|open-database)[.]ts$`,
  `${SERVER}/platform/[^/]*postgres[^/]*[.]ts$`,
  `${SERVER}/deps[.]ts$`,
].join("|");
/**
 * Which failure PostgreSQL reported (`database-errors.ts`) and how an address of it is written (`database-address.ts`) are
 * vocabulary, not SQL: whoever decides on it may see it.
 */
const DATABASE = "^packages/db/(?!src/database-(errors|address)[.]ts$)";
const DRIVER = "node_modules/postgres/";
const SQL = `${STORE}|${DATABASE}|${DRIVER}`;

/** What speaks HTTP: the transport plumbing, Node's own modules, and the libraries on top of them. */
const HTTP = `${SERVER}/http/|^(node:)?https?$|^(node:)?http2$|node_modules/(undici|@orpc/(server|openapi))/`;
/**
 * The gateway's job is HTTP itself, so its transport files may touch it; the folders that decide and verify may not.
 */
const HTTP_SPEAKERS = `${ROUTES}|${TEST}|${MODULES}/gateway/(?!decide/|verify/(?!read-))`;

const forbid = (name, comment, from, to) => ({ name, severity: "error", comment, from, to });

const moduleOrderRules = MODULE_ORDER.slice(0, -1).map((name, rank) =>
  forbid(
    `module-order-${name}`,
    `${name} may use only the modules before it; for one above it, declare a port`,
    { path: `${MODULES}/${name}/`, pathNot: TEST },
    { path: `${MODULES}/(${MODULE_ORDER.slice(rank + 1).join("|")})/` },
  ),
);

module.exports = {
  forbidden: [
    forbid(
      "no-circular",
      "no cycle of any length, type-only imports included",
      {},
      { circular: true },
    ),
    // Rivals of the benchmarks are installed when they are measured, each with packages of its own.
    forbid(
      "no-unresolvable",
      "an import that leads nowhere",
      { pathNot: "^bench/peers/" },
      { couldNotResolve: true },
    ),

    // Packages, bottom up.
    forbid(
      "domain-is-pure",
      "money, time and limits are proven here: no dependency and no I/O, not even node:",
      { path: "^packages/domain/", pathNot: TEST },
      { pathNot: "^packages/domain/" },
    ),
    forbid(
      "contract-imports-domain-only",
      "the contract is what the browser and the server both see",
      { path: "^packages/contract/", pathNot: TEST },
      { pathNot: "^packages/(contract|domain)/|node_modules/(zod|@orpc/contract)/" },
    ),
    forbid(
      "db-imports-domain-only",
      "tables and migrations know the driver and the vocabulary, nothing else",
      { path: "^packages/db/", pathNot: TEST },
      {
        pathNot: "^packages/(db|domain)/|node_modules/postgres/",
        dependencyTypesNot: ["core"],
      },
    ),
    forbid(
      "ui-is-standalone",
      "props in, pixels out",
      { path: "^packages/ui/", pathNot: TEST },
      { path: "^(apps|examples|e2e|bench|tools|packages/(?!ui/))" },
    ),
    forbid(
      "testkit-in-tests-only",
      "factories and fakes never ship",
      { path: "^(apps|packages|examples)/", pathNot: `${TEST}|^packages/testkit/` },
      { path: "^packages/testkit/" },
    ),
    forbid(
      "packages-below-apps",
      "a package runs anywhere; an app is only ever started",
      { path: "^packages/(?!testkit/)" },
      { path: "^(apps|e2e|bench|tools)/" },
    ),
    forbid(
      "bench-starts-the-product",
      "a bench measures the product from outside, as a process; what no interface reaches without the rest in front of it is called through the door of its module: the writer of the ledger, the closing of periods and the hourly look at all tenants, which only the clock starts, and the copying of usage, which a bench cannot wait for",
      { path: "^bench/" },
      {
        path: "^apps/(console/|server/src/(?!modules/(metering|billing|catalog|tenants|entitlements|keys|analytics|intelligence)/index[.]ts$|platform/))",
      },
    ),
    forbid(
      "bench-ledger-only",
      "every other bench would measure its own wiring instead of the product's; a peer gets the product's own PostgreSQL, no one waits for a job, and a store of limits is asked as the product asks it",
      {
        path: "^bench/",
        pathNot:
          "^bench/(ledger|close|revenue|insights|clickhouse|rig/(bench-cells|roll-up|store-rates|with-product-database|make-pattern-tenant|seed-(billing|revenue))|programs/(peer-better-auth|close-periods|scan-insights))[.]ts$",
      },
      { path: "^apps/" },
    ),
    forbid(
      "sdk-is-published-alone",
      "operators install it without the rest: it imports nothing of ours; tests hold its types against the contract",
      { path: "^packages/sdk/", pathNot: TEST },
      { pathNot: "^packages/sdk/" },
    ),
    forbid(
      "sdk-for-operators-only",
      "what runs inside of Turnpike decides by itself, and does not ask over HTTP",
      { path: "^(apps|bench|tools)/|^packages/(?!sdk/)", pathNot: TEST },
      { path: "^packages/sdk/" },
    ),
    forbid(
      "examples-stand-alone",
      "an example is what an operator copies: of ours it imports what is published and nothing else",
      { path: "^examples/", pathNot: TEST },
      { path: "^(apps|e2e|bench|tools)/|^packages/(?!sdk/)" },
    ),
    forbid(
      "nothing-imports-examples",
      "examples are started as programs, never imported; the demo API is, in a thread, until an upstream is configured",
      { pathNot: `^examples/|${SERVER}/demo-upstream-thread\\.ts$` },
      { path: "^examples/" },
    ),

    // Server.
    ...moduleOrderRules,
    forbid(
      "module-is-in-order",
      "a module missing from MODULE_ORDER would escape every rule about order",
      {},
      { path: `${MODULES}/(?!(${MODULE_ORDER.join("|")})/)` },
    ),
    forbid(
      "module-door",
      "another module is entered through its index.ts",
      { path: `${MODULES}/([^/]+)/`, pathNot: TEST },
      { path: `${MODULES}/([^/]+)/`, pathNot: `${MODULES}/($1/|[^/]+/index[.]ts$)` },
    ),
    forbid(
      "app-uses-doors",
      "what starts and wires the server enters modules through their index.ts",
      { path: `${SERVER}/(?!modules/)`, pathNot: TEST },
      { path: `${MODULES}/[^/]+/`, pathNot: `${MODULES}/[^/]+/index[.]ts$` },
    ),
    forbid(
      "door-not-from-inside",
      "a module that imports its own door grows cycles",
      { path: `${MODULES}/([^/]+)/` },
      { path: `${MODULES}/$1/index[.]ts$` },
    ),
    forbid(
      "plumbing-below-modules",
      "platform and http know no business noun and no composition root",
      { path: `${SERVER}/(platform|http)/`, pathNot: TEST },
      { path: `${SERVER}/(modules/|(main|run-product|app|deps)[.]ts$)` },
    ),
    forbid(
      "modules-below-app",
      "a module is given its dependencies and does not reach up for them",
      { path: `${MODULES}/`, pathNot: TEST },
      { path: `${SERVER}/(main|run-product|app|deps)[.]ts$` },
    ),
    forbid(
      "platform-below-http",
      "technical services do not know that they are reached over HTTP",
      { path: `${SERVER}/platform/`, pathNot: TEST },
      { path: `${SERVER}/http/` },
    ),
    forbid(
      "sql-in-stores-only",
      "tables are seen by stores and by what opens connections; others may only name the type of the transaction they pass on",
      { path: `${SERVER}/`, pathNot: SQL_HOLDERS },
      { path: DATABASE, dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "driver-in-stores-only",
      "only packages/db and what opens connections know which driver there is",
      { path: `${SERVER}/`, pathNot: SQL_HOLDERS },
      { path: DRIVER },
    ),
    forbid(
      "gateway-has-no-store",
      "keys, limits and routes are in memory by the time a call arrives",
      { path: `${MODULES}/gateway/`, pathNot: TEST },
      { path: SQL },
    ),
    forbid(
      "stores-below-use-cases",
      "a store answers with rows: it calls no use case, route or job",
      { path: STORE },
      { path: `${SERVER}/(http/|.*([.]routes|[.]jobs|/index)[.]ts$)` },
    ),
    forbid(
      "http-in-routes-only",
      "a use case is called the same way from a route, a job and the command line",
      { path: `${MODULES}/`, pathNot: HTTP_SPEAKERS },
      { path: HTTP },
    ),
    forbid(
      "routes-call-use-cases",
      "an adapter that reads tables has skipped the authorisation",
      { path: `([.]routes|[.]jobs)[.]ts$` },
      { path: SQL },
    ),
    forbid(
      "ports-import-domain-only",
      "a port is a promise made to modules above: it names no engine, at most the type of a transaction",
      { path: `${MODULES}/.*[.]ports[.]ts$` },
      { path: `${STORE}|${ROUTES}|${DRIVER}|${SERVER}/http/` },
    ),

    // Console.
    forbid(
      "console-never-sees-server",
      "they meet in the contract; not even a type may cross",
      { path: "^apps/console/" },
      { path: "^apps/server/|^packages/db/" },
    ),
    forbid(
      "server-never-sees-console",
      "the server serves the built files and knows nothing of their source",
      { path: "^apps/server/" },
      { path: "^apps/console/|^packages/ui/" },
    ),
    forbid(
      "browser-has-no-node",
      "code for the browser cannot use Node's modules",
      { path: `${CONSOLE}/|^packages/ui/`, pathNot: TEST },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "browser-has-no-validation-library",
      "the browser gets a minified contract; schemas stay on the server",
      { path: `${CONSOLE}/|^packages/ui/`, pathNot: TEST },
      { path: "node_modules/zod/" },
    ),
    forbid(
      "browser-takes-contract-types-only",
      "the contract's values are made of schemas, so importing one ships the validation library",
      { path: `${CONSOLE}/`, pathNot: TEST },
      { path: "^packages/contract/.*[.]ts$", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "features-are-islands",
      "what two features need moves down, or a route passes it",
      { path: `${CONSOLE}/features/([^/]+)/` },
      { path: `${CONSOLE}/features/([^/]+)/`, pathNot: `${CONSOLE}/features/$1/` },
    ),
    forbid(
      "features-below-routes",
      "a route picks its pages, never the other way around",
      { path: `${CONSOLE}/(features|platform|components)/` },
      { path: `${CONSOLE}/(routes/|(main|router)[.]tsx$)` },
    ),
    forbid(
      "shared-below-features",
      "what every feature uses depends on none of them",
      { path: `${CONSOLE}/(platform|components)/` },
      { path: `${CONSOLE}/features/` },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(apps|packages)/[^/]+/dist(-server)?/" },
    tsConfig: { fileName: "tsconfig.json" },
    // Type-only imports obey the same rules.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["turnpike-source", "types", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
};

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { describe, expect, it } from "vitest";
import { stageConfigs } from "./config.fixture.ts";
import { ENVIRONMENT, readConfig } from "./config.ts";
import { environment } from "./config-environment.ts";

const { folder, read, mistakesOf } = stageConfigs();

describe("readConfig", () => {
  it("needs no file and no variable: everything has a default", () => {
    const config = read(undefined);
    expect(config).toMatchObject({
      brand: { name: "Turnpike" },
      listen: { host: "127.0.0.1" },
      port: 3000,
      gatewayPort: 3001,
      logLevel: "info",
      databaseUrl: undefined,
      trustedProxies: [],
      catalog: SAMPLE_CATALOG,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each(["", "\n\n", "# only a comment\n", "{}", "---\n"])(
    "takes the empty file %j for the defaults",
    (text) => {
      const { configPath } = read(undefined);
      expect({ ...read(text), configFile: undefined, configPath }).toEqual(read(undefined));
    },
  );

  it("takes an empty variable for one that is not set, as compose files leave them", () => {
    const empty = Object.fromEntries(Object.keys(ENVIRONMENT).map((name) => [name, ""]));
    expect(readConfig(empty, { isRoot: false, workingFolder: folder })).toEqual(read(undefined));
  });

  it("reads file and environment, the environment first", () => {
    const config = read("log:\n  level: warn\nbrand:\n  name: Parcels\n", {
      PORT: "8080",
      GATEWAY_PORT: "0",
      TURNPIKE_LOG_LEVEL: "debug",
      DATABASE_URL: "postgresql://u@h/d",
    });
    expect(config).toMatchObject({
      port: 8080,
      gatewayPort: 0,
      logLevel: "debug",
      brand: { name: "Parcels" },
      databaseUrl: "postgresql://u@h/d",
    });
  });

  it("reports every mistake of file and environment at once, each with its line or its variable", () => {
    const text = [
      "brand:",
      "  accent: yellow",
      "listen:",
      "  prot: 1",
      "metering:",
      "  groupIntervalMs: 0",
      "  durability: always",
      "upstreams:",
      "  - name: Main",
      "    url: ftp://example.com",
      "    timeouts:",
      "      connectMs: soon",
      "nonsense:",
      "  a: 1",
    ].join("\n");
    const mistakes = mistakesOf(text, { PORT: "99999", TURNPIKE_SIGNING_SECRET: "short" });
    expect(mistakes.map((line) => line.split(":")[0])).toEqual(
      expect.arrayContaining([
        "PORT",
        "TURNPIKE_SIGNING_SECRET",
        "2",
        "4",
        "6",
        "7",
        "9",
        "10",
        "12",
        "13",
      ]),
    );
    expect(mistakes).toHaveLength(10);
    expect(mistakes).toContain("2: brand.accent: A colour such as #f5c400.");
    expect(mistakes).toContain("4: listen: Unknown: prot.");
    expect(mistakes).toContain("13: Unknown: nonsense.");
    expect(mistakes).toContain("PORT: A port number from 0 to 65535.");
  });

  it("names the word that was probably meant", () => {
    const upstream =
      "upstreams:\n  - name: api\n    url: http://127.0.0.1:1\n    stripprefix: /v1\n    maxconcurent: 1\n";
    expect(mistakesOf(upstream)).toEqual([
      expect.stringContaining("Unknown: stripprefix. Did you mean stripPrefix?"),
      expect.stringContaining("Unknown: maxconcurent. Did you mean maxConcurrent?"),
    ]);
    expect(mistakesOf("metering:\n  durability: strct\n")).toEqual([
      expect.stringMatching(/One of .*strict.* Did you mean strict\?/),
    ]);
  });

  it("gives every unknown name a line of its own", () => {
    expect(mistakesOf("one: 1\ntwo: 2\nbrand:\n  three:\n    - 3\n")).toEqual([
      "4: brand: Unknown: three.",
      "1: Unknown: one.",
      "2: Unknown: two.",
    ]);
  });

  it.each([
    ["brand:\n  name: [", /^[23]: /],
    ["a: b: c\n", /^1: /],
    ["brand: {}\nlog:\n\tlevel: info\n", /^3: /],
    ["brand: {}\n---\nlog: {}\n", /^\d: /],
    ["brand: *missing\n", /^1: Unresolved alias/],
  ])("says where %j is no YAML", (text, pattern) => {
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBeGreaterThan(0);
    expect(mistakes[0]).toMatch(pattern);
  });

  it("refuses a name that stands twice, with the line of the second", () => {
    expect(mistakesOf("brand:\n  name: A\nlog: {}\nbrand:\n  name: B\n")[0]).toMatch(
      /^4: Map keys must be unique/,
    );
  });

  it.each(["just text", "- a\n- list\n", "42"])(
    "refuses %j, which is no map of settings",
    (text) => {
      expect(mistakesOf(text)).toHaveLength(1);
    },
  );

  it("refuses a file that grows without end when it is read", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level <= 9; level += 1) {
      const name = `*a${String(level - 1)}`;
      lines.push(`a${String(level)}: &a${String(level)} [${Array(10).fill(name).join(", ")}]`);
    }
    expect(mistakesOf(lines.join("\n"))[0]).toMatch(/alias/i);
  });

  it.each([
    "__proto__:\n  polluted: true\n",
    "brand:\n  __proto__:\n    polluted: true\n",
    "constructor:\n  prototype:\n    polluted: true\n",
  ])("refuses %j and lets nothing of it leak into other objects", (text) => {
    expect(mistakesOf(text)).toHaveLength(1);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("refuses a catalogue that cannot be sold, with the line", () => {
    const text = [
      "catalog:",
      "  meters: []",
      "  plans:",
      "    - planId: free",
      "      name: Free",
      "    - planId: free",
      "      name: Again",
      "      pricePerMonth: 4,9",
    ].join("\n");
    expect(mistakesOf(text).map((line) => line.split(":")[0])).toContain("8");
  });

  it("takes origins as browsers send them, and names that form for every other", () => {
    const origins = ["https://app.example.com", "http://localhost:8080", "http://[::1]:3000"];
    expect(read(`cors: { origins: ${JSON.stringify(origins)} }`).cors.origins).toEqual(origins);
    const wrong = [
      ["https://App.Example.com", "https://app.example.com"],
      ["https://app.example.com:443", "https://app.example.com"],
      ["https://app.example.com/", "https://app.example.com"],
      ["https://app.example.com/login?x=1", "https://app.example.com"],
      ["https://user@app.example.com", "https://app.example.com"],
      ["https://bücher.example", "https://xn--bcher-kva.example"],
    ] as const;
    for (const [given, form] of wrong) {
      const expected = `Scheme, host and port alone, as browsers write them: ${form}.`;
      expect(mistakesOf(`cors:\n  origins: ["${given}"]`)).toEqual([
        `2: cors.origins.0: ${expected}`,
      ]);
      expect(mistakesOf(`publicUrls:\n  console: "${given}"\n  gateway: "${given}"`)).toEqual([
        `2: publicUrls.console: ${expected}`,
        `3: publicUrls.gateway: ${expected}`,
      ]);
    }
    expect(mistakesOf("cors:\n  origins: ['*', 'null', 'ftp://files.example']")).toEqual(
      [0, 1, 2].map(
        (index) => `2: cors.origins.${String(index)}: An address such as https://api.example.com.`,
      ),
    );
  });

  it("names a legal text that cannot be read at its line, before anything starts", () => {
    expect(mistakesOf("legal:\n  operator: Acme\n  terms: nowhere.md\n  privacy: .")).toEqual([
      `3: legal.terms: The file ${join(folder, "nowhere.md")} cannot be read.`,
      `4: legal.privacy: The file ${folder} cannot be read.`,
    ]);
    const terms = join(folder, "terms.md");
    writeFileSync(terms, "x".repeat(512 * 1024 + 1));
    expect(mistakesOf("legal: { terms: terms.md }")).toEqual([
      `1: legal.terms: The file ${terms} has more than 524288 bytes.`,
    ]);
    writeFileSync(terms, "# Terms");
    expect(read("legal: { terms: terms.md }").legal.terms).toBe(terms);
  });

  it("looks into the picture and the font of invoices before anything starts", () => {
    const write = (name: string, hex: string) =>
      writeFileSync(join(folder, name), Buffer.from(hex, "hex"));
    const frame = (components: string) =>
      `ffd8ffe000104a46494600010101004800480000ffc0001108001000${"10"}${components}000000000000000000`;
    for (const [name, hex, reason] of [
      ["no.png", "474946383961", /neither PNG nor JPEG/],
      ["cut.jpg", "ffd8ffe000104a464946", /no whole JPEG/],
      ["print.jpg", frame("04"), /CMYK/],
    ] as const) {
      write(name, hex);
      const text = `billing:\n  seller:\n    logo: ${name}`;
      expect(mistakesOf(text)).toEqual([expect.stringMatching(reason)]);
    }
    write("screen.jpg", frame("03"));
    write("a.png", "89504e470d0a1a0a0000");
    write("a.ttf", "00010000");
    write("all.ttc", "74746366");
    const { seller } = read("billing: { seller: { logo: screen.jpg } }").billing;
    expect(seller.logo).toBe(join(folder, "screen.jpg"));
    const { documents } = read(
      "billing: { seller: { logo: a.png }, documents: { font: a.ttf } }",
    ).billing;
    expect(documents.font).toBe(join(folder, "a.ttf"));
    expect(mistakesOf("billing:\n  documents:\n    font: all.ttc")).toEqual([
      `3: billing.documents.font: The file ${join(folder, "all.ttc")} is no font in TTF or OTF.`,
    ]);
  });

  it.each([
    [
      "upstreams:\n  - name: api\n    url: http://127.0.0.1:1\n    openapi: /api.yaml",
      "4: upstreams.0.openapi: Write openapi: { file: openapi.yaml }",
    ],
    ["upstreams: http://127.0.0.1:8080", "1: upstreams: Write upstreams: [{ name: api"],
    ["upstreams:\n  - http://127.0.0.1:8080", "Write - { name: api, url: http://127.0.0.1:8080 }."],
    ["brand: Acme", "1: brand: Write brand: { name: Acme Maps }."],
    ["publicUrls: https://acme.example", "1: publicUrls: Write publicUrls: { console:"],
    ["billing:\n  seller: Acme Ltd", "2: billing.seller: Write seller: { name: Acme Ltd"],
    ["legal: Acme Ltd", "1: legal: Write legal: { operator: Acme Ltd"],
    ["mail:\n  smtp: mail.example.com", "2: mail.smtp: Write smtp: { host: mail.example.com"],
  ])("says for %j what to write instead", (text, line) => {
    expect(mistakesOf(text)).toEqual([expect.stringContaining(line)]);
  });

  it("takes the mark from a file beside it, and refuses one that is no small drawing", () => {
    const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`;
    for (const [name, content, reason] of [
      ["mark.jpg", Buffer.from("ffd8ffe000104a464946", "hex"), /neither SVG nor PNG nor WebP/],
      ["program.svg", svg("<script>alert(1)</script>"), /holds more than a drawing/],
      ["outside.svg", svg('<use href="http://a.example/#b"/>'), /refers to other files/],
      ["large.svg", svg("<path/>".repeat(4_000)), /more than 24000 bytes/],
    ] as const) {
      writeFileSync(join(folder, name), content);
      const mistakes = mistakesOf(`brand:\n  mark: ${name}`);
      expect(mistakes).toEqual([expect.stringMatching(reason)]);
      expect(mistakes[0]).toMatch(/^2: brand\.mark: /);
    }
    expect(mistakesOf("brand:\n  mark: none.svg")).toEqual([
      expect.stringMatching(/^2: brand\.mark: .*cannot be read/),
    ]);
    const drawing = svg('<path d="M0 0h1v1z"/>');
    writeFileSync(join(folder, "mark.svg"), drawing);
    expect(read("brand: { mark: mark.svg }").brand.mark).toBe(
      `data:image/svg+xml;base64,${Buffer.from(drawing).toString("base64")}`,
    );
  });

  it("names a broken OpenAPI document at its line, takes a good one, and names it by its absolute path", () => {
    const document = join(folder, "api.yaml");
    const upstream = "upstreams:\n  - name: api\n    url: http://127.0.0.1:1\n    openapi:\n";
    const readNamed = () => read(`${upstream}      file: api.yaml\n`).upstreams;
    expect(readNamed).toThrow(/:5 .*upstreams\.0\.openapi\.file: .*cannot be read/);
    for (const [text, reason] of [
      ["swagger: '2.0'", /:5 .*version 3\.0 or 3\.1: it names Swagger 2/],
      ["openapi: [", /:5 .*no YAML/],
      ['{"openapi": 3', /:5 .*no JSON/],
    ] as const) {
      writeFileSync(document, text);
      expect(readNamed).toThrow(reason);
    }
    writeFileSync(document, "openapi: 3.1.0\npaths: {}");
    expect(readNamed()?.[0]?.openapi).toEqual({ file: document, refreshSeconds: 3_600 });
    expect(() => read(`${upstream}      refreshSeconds: 10\n`)).toThrow(
      /upstreams\.0\.openapi: Either/,
    );
  });

  it("refuses what the gateway could not serve, and upstreams of which one would never be reached", () => {
    const text = [
      "trustedProxies: [10.0.0.0/99, 'fe80::/129', '::1/128']",
      "upstreams:",
      "  - { name: api, url: 'http://user:password@127.0.0.1:1' }",
      "  - { name: query, url: 'http://127.0.0.1:1/?x=1', prefix: /q }",
      "  - { name: api, url: 'http://127.0.0.1:2', prefix: /v2 }",
      "  - { name: twin, url: 'http://127.0.0.1:2', prefix: /v2 }",
      "  - { name: host, url: 'http://127.0.0.1:2', prefix: /v2, hosts: [a.example] }",
    ].join("\n");
    expect(mistakesOf(text, { PORT: "4000", GATEWAY_PORT: "4000" })).toEqual([
      "GATEWAY_PORT: Must differ from PORT.",
      expect.stringMatching(/^1: trustedProxies\.0: /),
      expect.stringMatching(/^1: trustedProxies\.1: /),
      expect.stringMatching(/^3: upstreams\.0\.url: .*without user/),
      expect.stringMatching(/^4: upstreams\.1\.url: /),
      "5: upstreams.2: There is another upstream named api.",
      "6: upstreams.3: Another upstream serves the same host and prefix.",
    ]);
  });

  it("says when the named file is missing or cannot be read, instead of starting with defaults", () => {
    const missing = join(folder, "missing.yaml");
    const attempt = () =>
      readConfig({ TURNPIKE_CONFIG: missing }, { isRoot: false, workingFolder: folder });
    expect(attempt).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(attempt).toThrow(missing);
    const isFolder = () =>
      readConfig({ TURNPIKE_CONFIG: folder }, { isRoot: false, workingFolder: folder });
    expect(isFolder).toThrow(/cannot be read/);
  });

  it.each([
    ["PORT", "3000x"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", " "],
    ["PORT", "0x50"],
    ["PORT", "1e3"],
    ["GATEWAY_PORT", "65536"],
    ["TURNPIKE_LOG_LEVEL", "loud"],
    ["TURNPIKE_SIGNING_SECRET", "canary-too-short"],
    ["TURNPIKE_IDENTITY_SECRET", "canary-too-short"],
    ["TURNPIKE_CONSOLE_URL", "ftp://console.example.com"],
    ["TURNPIKE_CONSOLE_URL", "https://console.example.com/"],
    ["DATABASE_URL", "mysql://root:canary@localhost/db"],
    ["DATABASE_URL", "postgres://user:canary/2@localhost/db"],
    ["DATABASE_URL", "postgres://user:canary#2@localhost/db"],
    ["DATABASE_URL", "postgres://user:canary?2@localhost/db"],
    ["DATABASE_URL", "postgres://user:canary%2@localhost/db"],
    ["DATABASE_URL", "postgres://user:canary@localhost/db?sslmode=prefer"],
  ])("refuses %s=%j and repeats no secret", (name, value) => {
    const mistakes = mistakesOf(undefined, { [name]: value });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(new RegExp(`^${name}: `));
    expect(mistakes[0]).not.toContain("canary");
  });

  it("takes the public address of the console from the environment before the file's", () => {
    const env = { TURNPIKE_CONSOLE_URL: "https://console.example.com" };
    const input = { isRoot: false, workingFolder: "/" };
    expect(readConfig(env, input).publicUrls.console).toBe("https://console.example.com");
    expect(readConfig({}, input).publicUrls.console).toBeUndefined();
  });

  it("takes a number of workers that a machine can have, or as many as it has cores", () => {
    expect(read(undefined).workers).toBe(1);
    expect(read("workers: 4").workers).toBe(4);
    expect(read("workers: 4", { TURNPIKE_WORKERS: "2" }).workers).toBe(2);
    expect(read("workers: auto").workers).toBeGreaterThanOrEqual(1);
    expect(read(undefined, { TURNPIKE_WORKERS: "auto" }).workers).toBeLessThanOrEqual(16);
    const expected = "A whole number from 1 to 16, or auto.";
    for (const value of ["0", "-1", "1000", '"x"', "1.5", '"2"']) {
      expect(mistakesOf(`workers: ${value}`)).toEqual([`1: workers: ${expected}`]);
    }
    for (const value of ["0", "-1", "1000", "x", "1.5"]) {
      expect(mistakesOf(undefined, { TURNPIKE_WORKERS: value })).toEqual([
        `TURNPIKE_WORKERS: ${expected}`,
      ]);
    }
  });

  it("describes every variable that it reads", () => {
    expect(Object.keys(ENVIRONMENT).sort()).toEqual(Object.keys(environment.shape).sort());
  });

  it("refuses a variable under which tokens of people are not signed, and takes it empty", () => {
    const name = "FIREBASE_AUTH_EMULATOR_HOST";
    expect(mistakesOf(undefined, { [name]: "localhost:9099" })).toEqual([
      expect.stringMatching(/^FIREBASE_AUTH_EMULATOR_HOST: Must not be set/),
    ]);
    expect(mistakesOf(undefined, { [name]: "" })).toEqual([]);
  });

  it("takes Firebase's emulator on one machine in development, and nowhere else", () => {
    const file = (emulator: string, more = "") =>
      `identity: { firebase: { apiKey: k, authDomain: a.example, projectId: demo-acme, emulator: "${emulator}" } }\n${more}`;
    const good = file("http://127.0.0.1:9099/");
    const development = { TURNPIKE_MODE: "development" };
    expect(read(good, development).identity.firebase).toMatchObject({
      emulator: "http://127.0.0.1:9099",
      methods: ["google"],
      flow: "popup",
    });
    expect(mistakesOf(good)).toEqual([
      expect.stringMatching(/^identity.firebase.emulator .*needs TURNPIKE_MODE=development/),
    ]);
    for (const [text, env] of [
      [good, { ...development, TURNPIKE_CONSOLE_URL: "https://console.example" }],
      [file("http://127.0.0.1:9099", "listen: { host: 0.0.0.0 }"), development],
      [file("http://127.0.0.1:9099", "trustedProxies: [127.0.0.1]"), development],
      [file("http://127.0.0.1:9099", "publicUrls: { console: https://a.example }"), development],
    ] as const) {
      expect(mistakesOf(text, env)).toEqual([expect.stringMatching(/are this machine/)]);
    }
    for (const elsewhere of ["http://10.0.0.1:9099", "https://127.0.0.1", "http://localhost/x"]) {
      expect(mistakesOf(file(elsewhere), development)).toHaveLength(1);
    }
    expect(mistakesOf(undefined, { TURNPIKE_MODE: "test" })[0]).toMatch(
      /production or development/,
    );
  });

  it("takes Firebase with one form for passwords, and hosts that add nothing to the policy", () => {
    const firebase = (fields: string, more = "builtin: false, ") =>
      `identity: { ${more}firebase: { apiKey: k, authDomain: a.example, projectId: demo-acme, ${fields} } }`;
    expect(mistakesOf(firebase("methods: [password, google]"))).toEqual([]);
    expect(mistakesOf(firebase("methods: [google]", ""))).toEqual([]);
    expect(mistakesOf(firebase("methods: [password]", ""))[0]).toMatch(/one form for passwords/);
    expect(mistakesOf(firebase("methods: []"))).toHaveLength(1);
    expect(mistakesOf(firebase("methods: [google, google]"))).toHaveLength(1);
    for (const host of [
      "a.example;script-src",
      "*.example",
      "a.example/x",
      "localhost",
      "https://a.example",
    ]) {
      const text = firebase("flow: popup").replace("a.example", JSON.stringify(host));
      expect(mistakesOf(text), host).toHaveLength(1);
    }
    const twin = `providers: [{ id: g, name: G, clientId: c, issuer: "https://securetoken.google.com/demo-acme" }], `;
    expect(mistakesOf(firebase("flow: popup", twin))[0]).toMatch(/this project's issuer/);
  });

  it("takes providers with distinct ids and safe addresses, and at least one of them", () => {
    const provider = (fields: string) =>
      `identity: { providers: [{ name: N, clientId: c, ${fields} }] }`;
    const good = 'id: acme, issuer: "https://login.acme.example/realm"';
    expect(mistakesOf(provider(good))).toEqual([]);
    expect(mistakesOf(provider('id: dev, issuer: "http://127.0.0.1:8080"'))).toEqual([]);
    for (const bad of [
      'id: acme, issuer: "http://login.acme.example"',
      'id: acme, issuer: "http://localhost.acme.example"',
      'id: acme, issuer: "https://user:secret@login.acme.example"',
      'id: acme, issuer: "https://login.acme.example?x"',
      'id: acme, issuer: "login.acme.example"',
      'id: builtin, issuer: "https://login.acme.example"',
      'id: "../x", issuer: "https://login.acme.example"',
    ]) {
      expect(mistakesOf(provider(bad)), bad).toHaveLength(1);
    }
    const twins = (one: string, two: string) =>
      mistakesOf(
        `identity: { providers: [{ name: A, clientId: c, ${one} }, { name: B, clientId: c, ${two} }] }`,
      );
    expect(twins(good, 'id: acme, issuer: "https://b.example"')[0]).toMatch(/has this id/);
    expect(twins(good, good.replace("acme,", "other,"))[0]).toMatch(/has this issuer/);
    expect(mistakesOf("identity: { builtin: false }")[0]).toMatch(/At least one provider/);
    expect(mistakesOf("identity: { operators: [no-address] }")).toHaveLength(1);
  });
});

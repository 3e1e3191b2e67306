import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stageConfigs } from "./config.fixture.ts";

const { folder, read, mistakesOf } = stageConfigs();

describe("a client's secret", () => {
  const providers = (more = "") =>
    `identity:\n  providers:\n    - { id: google, name: Google, issuer: "https://accounts.google.com", clientId: c${more} }\n`;

  it("comes from the environment or from a file beside the configuration", () => {
    const env = { TURNPIKE_CLIENT_SECRETS: "google=GOCSPX-a=b" };
    expect(read(providers(), env).clientSecrets).toEqual({ google: "GOCSPX-a=b" });
    writeFileSync(join(folder, "google-secret"), "GOCSPX-file\n");
    const fromFile = providers(", clientSecretFile: google-secret");
    expect(read(fromFile).clientSecrets).toEqual({ google: "GOCSPX-file" });
    expect(read(providers()).clientSecrets).toEqual({});
    expect(mistakesOf(fromFile, env)).toEqual([expect.stringMatching(/^TURNPIKE_CLIENT_SECRETS/)]);
  });

  it("is refused without its provider, or without a file that holds one, and never repeated", () => {
    const mistakes = [
      ...mistakesOf(providers(), { TURNPIKE_CLIENT_SECRETS: "goggle=CANARY-0001" }),
      ...mistakesOf(providers(), { TURNPIKE_CLIENT_SECRETS: "CANARY-0001" }),
      ...mistakesOf(providers(", clientSecretFile: missing")),
    ];
    expect(mistakes).toEqual([
      expect.stringMatching(/^TURNPIKE_CLIENT_SECRETS: Names a provider/),
      expect.stringMatching(/^TURNPIKE_CLIENT_SECRETS: Pairs such as/),
      expect.stringMatching(/clientSecretFile/),
    ]);
    expect(mistakes.join()).not.toContain("CANARY");
  });
});

describe("a ClickHouse", () => {
  const clickhouse = (more = "") =>
    `clickhouse: { url: "https://clickhouse.internal:8443"${more} }\n`;
  const env = { TURNPIKE_CLICKHOUSE_PASSWORD: "CANARY-0003" };

  it("has its password from the environment, from a file, or none", () => {
    expect(read(clickhouse(), env).clickhousePassword).toBe("CANARY-0003");
    writeFileSync(join(folder, "clickhouse-password"), "CANARY-0004\n");
    const fromFile = read(clickhouse(", passwordFile: clickhouse-password"));
    expect(fromFile.clickhousePassword).toBe("CANARY-0004");
    const { clickhouse: section, clickhousePassword } = read(clickhouse());
    expect(clickhousePassword).toBeUndefined();
    expect(section).toMatchObject({ database: "default", user: "default", timeoutMs: 30_000 });
    expect(read(undefined).clickhouse).toBeUndefined();
  });

  it("is refused by http to another machine, with two passwords, and with a password for nothing", () => {
    const mistakes = [
      ...mistakesOf(clickhouse().replace("https:", "http:")),
      ...mistakesOf(clickhouse(", passwordFile: clickhouse-password"), env),
      ...mistakesOf(undefined, env),
      ...mistakesOf(clickhouse(", database: a-b")),
    ];
    expect(mistakes).toEqual([
      expect.stringContaining("Use https, or set plainHttp"),
      expect.stringMatching(/^TURNPIKE_CLICKHOUSE_PASSWORD: Is set as well as/),
      expect.stringMatching(/^TURNPIKE_CLICKHOUSE_PASSWORD: Is set, and clickhouse is not/),
      expect.stringContaining("Letters, digits and _"),
    ]);
    expect(mistakesOf(clickhouse(", plainHttp: true").replace("https:", "http:"))).toEqual([]);
    expect(mistakes.join()).not.toContain("CANARY");
  });
});

describe("a bucket for files", () => {
  const bucket = (changed = "") =>
    `files:\n  store: s3\n  s3: { endpoint: "https://s3.example.com", bucket: acme, accessKeyId: AKID${changed} }\n`;
  const env = { TURNPIKE_S3_SECRET_KEY: "CANARY-0001" };

  it("has its secret from the environment or from a file, and defaults for the rest", () => {
    const { files, s3SecretKey } = read(bucket(), env);
    expect(s3SecretKey).toBe("CANARY-0001");
    expect(files.s3).toMatchObject({ region: "us-east-1", prefix: "", pathStyle: false });
    writeFileSync(join(folder, "s3-secret"), "CANARY-0002\n");
    expect(read(bucket(", secretKeyFile: s3-secret")).s3SecretKey).toBe("CANARY-0002");
    expect(read(undefined).s3SecretKey).toBeUndefined();
  });

  it("is refused half described, by http to another machine, or with two secrets or none", () => {
    const mistakes = [
      ...mistakesOf("files: { store: s3 }\n"),
      ...mistakesOf(bucket()),
      ...mistakesOf(undefined, env),
      ...mistakesOf(bucket(", secretKeyFile: s3-secret"), env),
      ...mistakesOf(bucket(", secretKeyFile: missing")),
      ...mistakesOf(bucket().replace("https:", "http:"), env),
      ...mistakesOf(bucket(", prefix: acme"), env),
      ...mistakesOf(bucket().replace("bucket: acme", "bucket: Acme Files"), env),
    ];
    expect(mistakes).toEqual([
      expect.stringContaining("Needs files.s3"),
      expect.stringMatching(/^TURNPIKE_S3_SECRET_KEY {2}Is missing/),
      expect.stringMatching(/^TURNPIKE_S3_SECRET_KEY {2}Is set, and files.s3 is not/),
      expect.stringMatching(/^TURNPIKE_S3_SECRET_KEY {2}Is set as well as/),
      expect.stringContaining("files.s3.secretKeyFile: Must be a readable file"),
      expect.stringContaining("set plainHttp"),
      expect.stringContaining("each with a slash behind it"),
      expect.stringContaining("3 to 63 small letters"),
    ]);
    expect(mistakes.join()).not.toContain("CANARY");
    const local = bucket(", plainHttp: true").replace("https:", "http:");
    expect(read(local, env).files.s3?.endpoint).toBe("http://s3.example.com");
  });
});

describe("a language model", () => {
  const model = (url: string) => `intelligence:\n  model: { url: "${url}", name: llama }\n`;
  const env = { TURNPIKE_MODEL_KEY: "sk-CANARY0001" };

  it("is none by default, and has its key from the environment alone", () => {
    expect(read(undefined, env).intelligence).toEqual({});
    const { intelligence, modelKey } = read(model("https://models.example.com/v1"), env);
    expect(intelligence.model).toMatchObject({ enabled: true, tokensPerDay: 200_000 });
    expect(modelKey).toBe("sk-CANARY0001");
    expect(
      mistakesOf(model("https://models.example.com").replace("name", "key: x, name")),
    ).toHaveLength(1);
  });

  it("gets its key by https or on this machine, and an address without credentials", () => {
    expect(read(model("http://localhost:11434/v1"), env).modelKey).toBe("sk-CANARY0001");
    expect(mistakesOf(model("http://models.internal/v1"))).toEqual([]);
    const mistakes = mistakesOf(model("http://models.internal/v1"), env);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain("TURNPIKE_MODEL_KEY");
    expect(mistakes[0]).not.toContain("CANARY");
    expect(mistakesOf(model("https://me:secret@models.example.com/v1"))).toHaveLength(1);
  });
});

describe("keys of Stripe", () => {
  it("go into their own environment, and several secrets of a webhook may hold while one is rolled", () => {
    const { stripeKeys, billing } = read(undefined, {
      TURNPIKE_STRIPE_KEY: "rk_live_0123456789",
      TURNPIKE_STRIPE_WEBHOOK_SECRET: "whsec_oldoldold, whsec_newnewnew",
      TURNPIKE_STRIPE_TEST_KEY: "",
    });
    expect(stripeKeys).toEqual({
      live: { key: "rk_live_0123456789", webhookSecrets: ["whsec_oldoldold", "whsec_newnewnew"] },
      test: undefined,
    });
    expect(billing.stripe).toEqual({ instance: "turnpike" });
  });

  it("are refused in the other one, and never sent anywhere but to Stripe or this machine", () => {
    const env = {
      TURNPIKE_STRIPE_KEY: "rk_test_CANARY0001",
      TURNPIKE_STRIPE_TEST_KEY: "sk_live_CANARY0001",
      TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET: "CANARY0001",
    };
    const apiUrl = (url: string) => `billing:\n  stripe: { apiUrl: "${url}" }\n`;
    const mistakes = mistakesOf(apiUrl("https://stripe.example.com"), env);
    expect(mistakes.map((mistake) => mistake.split(":")[0])).toEqual([
      "TURNPIKE_STRIPE_KEY",
      "TURNPIKE_STRIPE_TEST_KEY",
      "TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET",
      "2",
    ]);
    expect(mistakes.join(" ")).not.toContain("CANARY");
    expect(mistakes[3]).toContain("keys of Stripe are sent to Stripe alone");
    expect(mistakesOf(apiUrl("http://127.0.0.1:12111"))).toEqual([]);
  });
});

import { randomBytes } from "node:crypto";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";
import { describe, expect, it } from "vitest";
import { createLogger, type Logger, redactKeys } from "./logger.ts";

const { key } = formatKey("live", randomBytes(KEY_RANDOM_BYTES));
const secret = key.slice("tp_live_".length);

function logged(write: (logger: Logger) => void): string {
  let text = "";
  const destination = {
    write: (line: string) => {
      text += line;
    },
  };
  write(createLogger({ level: "debug", destination }));
  return text;
}

describe("createLogger", () => {
  it.each<[string, (logger: Logger) => void]>([
    ["the message", (logger) => logger.info(`used ${key} twice: ${key}`)],
    ["a field", (logger) => logger.info({ path: `/x?api_key=${key}` }, "call")],
    ["a deep field", (logger) => logger.info({ a: { b: { c: [key] } } }, "call")],
    ["an error", (logger) => logger.error({ err: new Error(`bad key ${key}`) }, "failed")],
    [
      "the cause of an error",
      (logger) => logger.error({ err: new Error("failed", { cause: new Error(key) }) }, "failed"),
    ],
    ["a line end before it", (logger) => logger.info(`first\n${key}`)],
    ["a tab before it", (logger) => logger.info({ text: `a\t${key}` }, "call")],
    ["the name of a field", (logger) => logger.info({ [key]: 1 }, "call")],
    ["a child's fields", (logger) => logger.child({ used: key }).info("call")],
  ])("removes a key of ours from %s", (_where, write) => {
    const line = logged(write);
    expect(line).not.toContain(secret.slice(0, 12));
    expect(line).toContain("[redacted]");
  });

  it.each(["authorization", "cookie", "password", "secret", "token", "key", "setupCode"])(
    "removes the value of a field named %s, at the top and up to two levels down",
    (name) => {
      const line = logged((logger) => {
        logger.info({ [name]: "canary-1" }, "call");
        logger.info({ input: { [name]: "canary-2" } }, "call");
        logger.info({ input: { headers: { [name]: "canary-3" } } }, "call");
      });
      expect(line).not.toContain("canary");
    },
  );

  it("removes credentials of a request's headers", () => {
    const headers = { authorization: "Bearer canary", cookie: "a=canary", "x-api-key": "canary" };
    expect(logged((logger) => logger.info({ headers }, "call"))).not.toContain("canary");
    expect(logged((logger) => logger.info({ req: { headers } }, "call"))).not.toContain("canary");
  });

  it("keeps the code of an error, by which an operator finds out what happened", () => {
    const err = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    expect(logged((logger) => logger.error({ err }, "failed"))).toContain("ECONNREFUSED");
    expect(logged((logger) => logger.info({ code: "RATE_LIMITED" }, "no"))).toContain(
      "RATE_LIMITED",
    );
  });

  it("writes one line an event, of any text", () => {
    const text = "one\ntwo\r\u2028three\u001b[31mred";
    const line = logged((logger) => logger.info({ text }, text));
    expect(line.trimEnd().split("\n")).toHaveLength(1);
    expect(line).not.toContain("\u001b");
    expect(JSON.parse(line)).toMatchObject({ level: "info", text, msg: text });
  });

  it("says nothing below its level", () => {
    let text = "";
    const destination = {
      write: (line: string) => {
        text += line;
      },
    };
    const logger = createLogger({ level: "warn", destination });
    logger.info("quiet");
    logger.warn("loud");
    expect(text).not.toContain("quiet");
    expect(text).toContain("loud");
  });
});

describe("redactKeys", () => {
  it("keeps what is shown of a key anyway, and text that only looks a little like one", () => {
    expect(redactKeys(`tp_live_abcd and ${key}!`)).toBe("tp_live_abcd and tp_live_[redacted]!");
    expect(redactKeys("http_live_ and tp_other_12345678")).toBe("http_live_ and tp_other_12345678");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerReader, toBilledTokens } from "./answer-reader.ts";
import { compilePointers, type FoundValue, JsonValues } from "./json-values.ts";
import { readTokenRequest } from "./read-token-request.ts";
import {
  compileTokenRules,
  type TokenMetering,
  type TokenRoute,
  toMeterUnits,
  toUnitsMax,
} from "./token-rules.ts";
import { UsageFilter } from "./usage-filter.ts";

const BASE: Omit<TokenMetering, "protocol"> = {
  meters: [
    { meter: "large", counts: ["input", "output"], models: ["large", "large-*"], weight: 10 },
    { meter: "cached", counts: ["cacheRead"], weight: 1 },
    { meter: "in", counts: ["input"], weight: 1 },
    { meter: "out", counts: ["output"], weight: 1 },
  ],
  outputTokensDefault: 1_000,
  inputTokensMax: 100_000,
  bytesPerToken: 1,
  requestBytesMax: 1_000_000,
  asksStreamUsage: true,
  readOnSeconds: 60,
  modelFrom: "request",
};
const OPENAI = compileTokenRules({ ...BASE, protocol: "openai" });
const ANTHROPIC = compileTokenRules({ ...BASE, protocol: "anthropic" });
const CHAT: TokenRoute = { hasOutput: true, asksUsage: true };

const CHAT_STREAM = [
  ': hello\n\ndata: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":null}\n\n',
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Gr\u00fc\u00dfe \ud83d\ude80 \\"usage\\":{\\"prompt_tokens\\":9}"}}],"usage":null}\r\n\r\n',
  'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\n',
  'data: {"id":"1","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":12,"total_tokens":42,"prompt_tokens_details":{"cached_tokens":10}}}\n\n',
  "data: [DONE]\n\n",
];
const MESSAGE_STREAM = [
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":25,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello \u4e16\u754c"}}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"output_tokens":15}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];

/** Bytes, cut at the places that the numbers name. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function readStream(rules: typeof OPENAI, pieces: readonly Buffer[], isEvents = true) {
  const reader = new AnswerReader(rules, isEvents);
  for (const piece of pieces) {
    reader.write(piece);
  }
  return reader.tokens;
}

const billed = (rules: typeof OPENAI, text: string, isWhole = true, isEvents = true) =>
  toBilledTokens(rules, readStream(rules, [Buffer.from(text)], isEvents), {
    requestBytes: 400,
    inputMax: 400,
    isWhole,
  });

const places = fc.array(fc.nat(), { maxLength: 40 });

describe("tokens of an answer", () => {
  it("are the same however a stream is cut", () => {
    fc.assert(
      fc.property(places, places, (chat, message) => {
        expect(readStream(OPENAI, cut(CHAT_STREAM.join(""), chat)).stated).toEqual({
          input: 30,
          cacheRead: 10,
          output: 12,
        });
        expect(readStream(ANTHROPIC, cut(MESSAGE_STREAM.join(""), message))).toEqual({
          stated: { input: 25, cacheRead: 7, cacheWrite: 3, output: 15 },
          textBytes: Buffer.byteLength("Hello \u4e16\u754c"),
        });
      }),
    );
  });

  it("are found where JSON.parse finds them, among any other", () => {
    const pointers = ["/a/b", "/c/1", "/a", "/x~1y/z"];
    const leaf = fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 30 }),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.oneof(fc.constantFrom("a", "b", "c", "x/y", "z"), fc.string({ maxLength: 5 }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, places, fc.constantFrom(0, 2), (value, at, indent) => {
        const found = new Map<number, FoundValue>();
        const values = new JsonValues(compilePointers(pointers), {
          onValue: (place, each) => found.set(place, each),
        });
        for (const piece of cut(`${JSON.stringify(value, null, indent)}\n`, at)) {
          values.write(piece);
        }
        for (const [place, pointer] of pointers.entries()) {
          const parts = pointer.split("/").slice(1);
          let expected: unknown = value;
          for (const part of parts) {
            const name = part.replaceAll("~1", "/");
            expected =
              typeof expected === "object" && expected !== null && Object.hasOwn(expected, name)
                ? Reflect.get(expected, name)
                : undefined;
          }
          const got = found.get(place);
          if (expected === undefined) {
            expect(got).toBeUndefined();
          } else if (typeof expected === "string") {
            expect(got).toMatchObject({ kind: "string", text: expected });
          } else if (typeof expected === "object" && expected !== null) {
            expect(got?.kind).toBe(Array.isArray(expected) ? "array" : "object");
          } else {
            expect(got?.text).toBe(String(expected));
          }
        }
      }),
    );
  });

  it("are kept in constant memory, and hostile bytes are no tokens", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (pieces) => {
        const { stated } = readStream(
          OPENAI,
          pieces.map((piece) => Buffer.from(piece)),
        );
        for (const count of Object.values(stated)) {
          expect(Number.isSafeInteger(count)).toBe(true);
        }
      }),
    );
    const long = `data: {"deep":${"[".repeat(100_000)}${"]".repeat(100_000)},"choices":[{"delta":{"content":"${"x".repeat(3_000_000)}"}}],"usage":{"prompt_tokens":1e3,"completion_tokens":-1}}\n\n`;
    expect(billed(OPENAI, long)).toEqual({
      tokens: { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 },
      isEstimated: false,
    });
    expect(billed(OPENAI, 'data: {"usage":{"prompt_tokens":1.5}}\n\n').isEstimated).toBe(true);
  });

  it("are estimated from what came where the answer does not say", () => {
    // 400 bytes of prompt and 12 of text; what Anthropic says of the prompt at the start counts.
    const text = 'data: {"choices":[{"delta":{"content":"twelve bytes"}}]}\n\n';
    expect(billed(OPENAI, text, false)).toEqual({
      tokens: { input: 100, cacheRead: 0, cacheWrite: 0, output: 3 },
      isEstimated: true,
    });
    expect(billed(ANTHROPIC, MESSAGE_STREAM.slice(0, 2).join(""), false).tokens).toEqual({
      input: 25,
      cacheRead: 7,
      cacheWrite: 3,
      output: 3,
    });
    expect(billed(OPENAI, CHAT_STREAM.join("")).tokens).toEqual({
      input: 20,
      cacheRead: 10,
      cacheWrite: 0,
      output: 12,
    });
    const embedded = '{"data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":8,"total_tokens":8}}';
    expect(billed(OPENAI, embedded, true, false).tokens).toMatchObject({ input: 8, output: 0 });
    const response =
      'event: response.completed\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":0},"output_tokens":6}}}\n\n';
    expect(billed(OPENAI, response).tokens).toMatchObject({ input: 5, output: 6 });
  });
});

describe("units of tokens", () => {
  it("go to the first meter of the model, weighted; each part of a prompt has room for all of it", () => {
    const tokens = { input: 20, cacheRead: 10, cacheWrite: 5, output: 12 };
    expect(Object.fromEntries(toMeterUnits(OPENAI, "small", tokens))).toEqual({
      in: 25,
      cached: 10,
      out: 12,
    });
    expect(Object.fromEntries(toMeterUnits(OPENAI, "large-2", tokens))).toEqual({
      large: 370,
      cached: 10,
    });
    const bound = { input: 100, output: 7 };
    expect(Object.fromEntries(toUnitsMax(OPENAI, "large", bound))).toEqual({
      large: 1_070,
      cached: 100,
    });
    expect(Object.fromEntries(toUnitsMax(OPENAI, "small", bound))).toEqual({
      in: 100,
      cached: 100,
      out: 7,
    });
  });

  it("are of the paths that answer with tokens, in any spelling that a framework takes for them", () => {
    const routes = [
      "/v1/chat/completions",
      "/V1/Chat/Completions/?x=1",
      "/v1/embeddings",
      "/v1/models",
      "/v1/responses/resp_1",
    ].map((target) => OPENAI.routeOf(target));
    expect(routes).toEqual([
      { hasOutput: true, asksUsage: true },
      { hasOutput: true, asksUsage: true },
      { hasOutput: false, asksUsage: false },
      undefined,
      undefined,
    ]);
    expect(ANTHROPIC.routeOf("/v1/messages/count_tokens")).toBeUndefined();
  });
});

describe("a request", () => {
  const read = (text: string) => readTokenRequest(OPENAI, CHAT, Buffer.from(text));

  it("states its bound; of several the largest, for each copy, else the default", () => {
    expect(read('{"model":"large","max_tokens":5}')).toMatchObject({
      model: "large",
      bound: { input: 32, output: 5 },
    });
    expect(read('{"max_tokens":5,"max_completion_tokens":7,"n":3}')).toMatchObject({
      model: "",
      bound: { output: 21 },
    });
    for (const text of [
      "{}",
      '{"max_tokens":null}',
      '{"max_tokens":"5"}',
      "no JSON",
      '{"max_tokens":-4}',
    ]) {
      expect(read(text)).toMatchObject({ bound: { output: 1_000 } });
    }
    expect(read('{"max_tokens":1e99,"n":1e99}')).toMatchObject({
      bound: { output: 1_000_000_000 },
    });
  });

  it("that an upstream could read in another way is refused", () => {
    for (const text of [
      '{"model":"small","model":"large"}',
      '{"model":"small","Model":"large"}',
      '{"max_tokens":1,"max_to\\u006bens":9}',
      '{"max_tokens":1,"max_to\u212aens":9}',
    ]) {
      expect(read(text)).toHaveProperty("fault");
    }
  });

  it("asks for the usage of its stream with as few other bytes as it takes", () => {
    const cases: [string, string][] = [
      ['{ "stream":true}', '{"stream_options":{"include_usage":true}, "stream":true}'],
      [
        '{"stream":true,"stream_options":{}}',
        '{"stream":true,"stream_options":{"include_usage":true}}',
      ],
      [
        '{"stream":true,"stream_options":{"x":1}}',
        '{"stream":true,"stream_options":{"include_usage":true,"x":1}}',
      ],
      [
        '{"stream":true,"stream_options":{"include_usage":false}}',
        '{"stream":true,"stream_options":{"include_usage":true}}',
      ],
      [
        '{"stream":true,"stream_options":null}',
        '{"stream":true,"stream_options":{"include_usage":true}}',
      ],
      [
        '{"stream":true,"stream_options":{"include_usage":true}}',
        '{"stream":true,"stream_options":{"include_usage":true}}',
      ],
      ['{"stream":false}', '{"stream":false}'],
    ];
    for (const [sent, passed] of cases) {
      const request = read(sent);
      expect("body" in request && request.body.toString()).toBe(passed);
      expect(request).toMatchObject({ isUsageAsked: sent !== passed });
    }
  });
});

describe("the event that the client did not ask for", () => {
  it("is all that a stream loses, however it is cut", () => {
    const expected = CHAT_STREAM.filter((_, index) => index !== 3).join("");
    fc.assert(
      fc.property(places, (at) => {
        const filter = new UsageFilter();
        const passed = cut(CHAT_STREAM.join(""), at).map((piece) => filter.write(piece));
        expect(Buffer.concat([...passed, filter.end()]).toString()).toBe(expected);
      }),
    );
  });

  it("holds no event that is whole, and none that is long", () => {
    const filter = new UsageFilter();
    for (const event of CHAT_STREAM.slice(0, 3)) {
      // Of a line end of two characters the second may wait for what follows.
      expect(filter.write(Buffer.from(event)).length).toBeGreaterThanOrEqual(
        Buffer.byteLength(event) - 1,
      );
    }
    expect(filter.write(Buffer.alloc(20_000, "x")).length).toBeGreaterThanOrEqual(20_000);
    expect(filter.write(Buffer.from("y")).toString()).toBe("y");
  });
});

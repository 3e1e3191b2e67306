import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { instantsLiteral, numbersLiteral, textsLiteral, wordsLiteral } from "./array-literal.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.close();
});

async function readBack(literal: string, type: string): Promise<unknown> {
  const { sql } = database;
  const [row] = await sql<{ items: unknown }[]>`
    select to_json(${literal}::text::${sql.unsafe(type)}) as items`;
  return row?.items;
}

/** Anything that the database can store: no NUL, no half of a surrogate pair. */
const anyText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom("", "null", "NULL", '"', "\\", "{}", ",", " a ", "\n", '\\"'),
  )
  .filter((text) => !text.includes("\0") && text.isWellFormed());

describe("the literal of an array", () => {
  it("is read by the database as the very texts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(anyText, { freq: 6 }), { maxLength: 8 }),
        async (texts) => {
          expect(await readBack(textsLiteral(texts), "text[]")).toEqual(texts);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of words is read as the very words, or is refused", async () => {
    const anyWord = fc.oneof(fc.stringMatching(/^[a-z0-9_-]{1,12}$/), anyText);
    await fc.assert(
      fc.asyncProperty(fc.array(anyWord, { maxLength: 6 }), async (words) => {
        const isPlain = words.every((word) => /^[\w.:+-]+$/.test(word) && !/^null$/i.test(word));
        if (words.every((word) => !word.includes(",")) && !isPlain) {
          expect(() => wordsLiteral(words)).toThrow(RangeError);
        } else if (isPlain) {
          expect(await readBack(wordsLiteral(words), "text[]")).toEqual(words);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("of numbers and of instants is read as those", async () => {
    const numbers = [0, 1, -1, 2 ** 53 - 1, 7];
    expect(await readBack(numbersLiteral(numbers), "bigint[]")).toEqual(numbers);
    const none = undefined;
    const instantsMs = [none, 0, 0, none, none, 1_768_046_400_000, 1_768_046_400_001, none, 0];
    const back = await readBack(instantsLiteral(instantsMs), "timestamptz[]");
    const backMs = (back as (string | null)[]).map((text) =>
      text === null ? none : Date.parse(text),
    );
    expect(backMs).toEqual(instantsMs);
  });

  it("of nothing is empty", async () => {
    for (const literal of [wordsLiteral([]), textsLiteral([]), instantsLiteral([])]) {
      expect(await readBack(literal, "text[]")).toEqual([]);
    }
  });
});

import { describe, expect, it } from "vitest";
import { findByPath, parseJsonPointer } from "./json-pointer.ts";

/** The document of RFC 6901, section 5. */
const DOCUMENT = JSON.parse(
  '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
);

describe("JSON pointers", () => {
  it.each<[string, unknown]>([
    ["", DOCUMENT],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/00", undefined],
    ["/foo/-", undefined],
    ["/foo/length", undefined],
    ["/__proto__", undefined],
    ["/constructor/name", undefined],
    ["/foo/0/0", undefined],
  ])("%s finds what it names", (pointer, expected) => {
    expect(findByPath(DOCUMENT, parseJsonPointer(pointer) ?? expect.fail())).toEqual(expected);
  });

  it.each(["foo", "/~", "/~2", "~0"])("%s is none", (text) => {
    expect(parseJsonPointer(text)).toBeUndefined();
  });
});

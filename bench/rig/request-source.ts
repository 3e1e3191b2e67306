import { readFileSync } from "node:fs";
import type { LoadOrder } from "./load.ts";

/** The request to send as the `index`th of a run, counted from 0. */
export type RequestSource = (index: number) => Buffer;

/** Steps from one key to the next: some two thirds of the way round, so that neighbours in memory are not neighbours in time. */
const STRIDE_SHARE = 0.618;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** A step that visits every one of `count` positions before it visits one twice. */
export function strideFor(count: number): number {
  let stride = Math.max(1, Math.round(count * STRIDE_SHARE));
  while (greatestCommonDivisor(stride, count) !== 1) {
    stride += 1;
  }
  return stride;
}

/** @throws when there is nothing to send, or when a file of keys holds no whole number of them. */
export function createRequestSource(requests: LoadOrder["requests"]): RequestSource {
  if ("keysPath" in requests) {
    const { before, after, keyLength } = requests;
    const keys = readFileSync(requests.keysPath);
    const count = keys.length / keyLength;
    if (!Number.isInteger(count) || count === 0) {
      throw new Error(`${requests.keysPath} holds no whole number of keys.`);
    }
    const template = Buffer.from(before + " ".repeat(keyLength) + after, "latin1");
    const keyAt = Buffer.byteLength(before, "latin1");
    const stride = strideFor(count);
    return (index) => {
      const position = ((index % count) * stride) % count;
      const request = Buffer.from(template);
      keys.copy(request, keyAt, position * keyLength, (position + 1) * keyLength);
      return request;
    };
  }
  const buffers = requests.map((text) => Buffer.from(text, "latin1"));
  const [first] = buffers;
  if (first === undefined) {
    throw new Error("There is nothing to send.");
  }
  return (index) => buffers[index % buffers.length] ?? first;
}

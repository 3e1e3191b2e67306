import { ROUTE_LENGTH_MAX } from "./route-template.ts";

export type RouteTable = {
  /** How many templates it holds. */
  size: number;
  /**
   * The most specific template that a path matches; `undefined` when none does. Never throws, for any path, and takes no
   * longer than the templates are many.
   *
   * @param rawTarget - The request target as sent: query and fragment are left out, empty segments ignored, nothing is decoded.
   */
  find(rawTarget: string): string | undefined;
};

/** A segment such as `{name}.{ext}`: its texts, with a value of at least one character between each two. */
type Pattern = { texts: readonly string[]; node: Node };

type Node = {
  /** Of the path that ends here. */
  template: string | undefined;
  literals: Map<string, Node>;
  /** The one with the most text first. */
  patterns: Pattern[];
  /** Any one segment. */
  value: Node | undefined;
};

const PARAMETER = /\{[^{}]*\}/;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const HASH = 0x23;

function createNode(): Node {
  return { template: undefined, literals: new Map(), patterns: [], value: undefined };
}

function weigh({ texts }: Pattern): number {
  return texts.reduce((length, text) => length + text.length, 0);
}

function descend(node: Node, segment: string): Node {
  if (!PARAMETER.test(segment)) {
    const next = node.literals.get(segment) ?? createNode();
    node.literals.set(segment, next);
    return next;
  }
  const texts = segment.split(PARAMETER);
  if (texts.every((text) => text === "")) {
    node.value ??= createNode();
    return node.value;
  }
  const known = node.patterns.find((one) => one.texts.join("{}") === texts.join("{}"));
  if (known !== undefined) {
    return known.node;
  }
  const pattern = { texts, node: createNode() };
  node.patterns.push(pattern);
  // Of two with as much text the order does not matter, as long as it is not that of the document.
  node.patterns.sort(
    (a, b) => weigh(b) - weigh(a) || (a.texts.join("{}") < b.texts.join("{}") ? -1 : 1),
  );
  return pattern.node;
}

/** True when the segment has the texts in order, the first and last at its ends, with a value between each two. */
function matches({ texts }: Pattern, segment: string): boolean {
  const first = texts[0] ?? "";
  const last = texts.at(-1) ?? "";
  if (!segment.startsWith(first) || !segment.endsWith(last)) {
    return false;
  }
  let from = first.length;
  for (let index = 1; index < texts.length - 1; index += 1) {
    const text = texts[index] ?? "";
    const at = segment.indexOf(text, from + 1);
    if (at < 0) {
      return false;
    }
    from = at + text.length;
  }
  return segment.length - last.length > from;
}

function endOfPath(rawTarget: string): number {
  for (let index = 0; index < rawTarget.length; index += 1) {
    const char = rawTarget.charCodeAt(index);
    if (char === QUESTION || char === HASH) {
      return index;
    }
  }
  return rawTarget.length;
}

/** A path visits every node at most once, so the templates bound the work. */
function search(node: Node, path: string, from: number, end: number): string | undefined {
  let start = from;
  while (start < end && path.charCodeAt(start) === SLASH) {
    start += 1;
  }
  if (start >= end) {
    return node.template;
  }
  const slash = path.indexOf("/", start);
  const stop = slash < 0 || slash > end ? end : slash;
  const segment = path.slice(start, stop);
  const literal = node.literals.get(segment);
  const found = literal && search(literal, path, stop, end);
  if (found !== undefined) {
    return found;
  }
  for (const pattern of node.patterns) {
    const within = matches(pattern, segment) ? search(pattern.node, path, stop, end) : undefined;
    if (within !== undefined) {
      return within;
    }
  }
  return node.value && search(node.value, path, stop, end);
}

/** Only what a rollup can hold: visible ASCII, as in a request. */
function toTemplate(path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const template = `/${parts.map(encodeSegment).join("/")}`;
  return template.length <= ROUTE_LENGTH_MAX && /^[\x21-\x7e]+$/.test(template)
    ? template
    : undefined;
}

/** Encodes a segment as a client does; what is encoded already stays. */
function encodeSegment(segment: string): string {
  return segment
    .replaceAll(/\p{Surrogate}/gu, "_")
    .replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));
}

/**
 * Makes a table of route templates, such as the paths of an OpenAPI document: `/users/{id}`, `/files/{name}.{ext}`,
 * `/orders/{id}:cancel`. Of the templates that a path matches the most specific wins, segment by segment from the left: text
 * before text with values in it (the one with more text first), before a value alone.
 *
 * Templates that are longer than a route may be are left out: their paths are learned like those that are not described.
 */
export function createRouteTable(paths: Iterable<string>): RouteTable {
  const root = createNode();
  let size = 0;
  for (const path of paths) {
    const template = toTemplate(path);
    if (template !== undefined) {
      const node = template
        .split("/")
        .filter((part) => part !== "")
        .reduce(descend, root);
      size += node.template === undefined ? 1 : 0;
      // Two names for one position: the first one stays.
      node.template ??= template;
    }
  }
  return { size, find: (rawTarget) => search(root, rawTarget, 0, endOfPath(rawTarget)) };
}

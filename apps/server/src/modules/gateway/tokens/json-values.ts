/** A value at one of the pointers, with its place in what was read. */
export type FoundValue = {
  kind: "string" | "number" | "literal" | "object" | "array";
  /** Undefined for an object or array, and for what is longer than {@link TEXT_BYTES_MAX}. */
  text: string | undefined;
  /** Bytes between the quotes of a string as they were sent; 0 for the rest. */
  bytes: number;
  /** Offset of its first byte. */
  start: number;
};

/** Longer values are counted and not kept: no name of a model and no number is longer. */
const TEXT_BYTES_MAX = 256;

type Node = { children: Map<string, Node>; place: number | undefined };
type Frame = { node: Node; isArray: boolean; index: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Pointers as a tree, made once and shared by all readers. */
export type JsonPointers = { root: Node };

/** @param pointers - JSON pointers (RFC 6901); a value is reported with the place of its pointer in this list. */
export function compilePointers(pointers: readonly string[]): JsonPointers {
  const root: Node = { children: new Map(), place: undefined };
  for (const [place, pointer] of pointers.entries()) {
    let node = root;
    for (const part of pointer.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      let child = node.children.get(name);
      if (child === undefined) {
        child = { children: new Map(), place: undefined };
        node.children.set(name, child);
      }
      node = child;
    }
    node.place = place;
  }
  return { root };
}

export type JsonValuesEvents = {
  onValue(place: number, value: FoundValue): void;
  /** A name that differs from one on the way to a pointer only in the case of its letters: some readers take it for that. */
  onAlias?(name: string): void;
};

/**
 * Finds the values at a few pointers in JSON that comes in pieces of any document, however large: it keeps the path to where it is and at most
 * {@link TEXT_BYTES_MAX} bytes of a value. It checks no grammar. What is no JSON has no values, or other ones than a strict reader
 * would find; it never throws.
 */
export class JsonValues {
  readonly #pointers: JsonPointers;
  readonly #events: JsonValuesEvents;
  #frames: Frame[] = [];
  /** Containers open inside one that no pointer leads into. */
  #skipped = 0;
  #state: "between" | "string" | "scalar" = "between";
  #isEscaped = false;
  #isKey = false;
  #expectsKey = false;
  #valueNode: Node | undefined;
  #offset = 0;
  #start = 0;
  #bytes = 0;
  #kept: number[] = [];

  constructor(pointers: JsonPointers, events: JsonValuesEvents) {
    this.#pointers = pointers;
    this.#events = events;
    this.#valueNode = pointers.root;
  }

  /** Begins a new document; offsets begin at 0 again. */
  reset(): void {
    this.#frames = [];
    this.#skipped = 0;
    this.#state = "between";
    this.#isEscaped = false;
    this.#expectsKey = false;
    this.#valueNode = this.#pointers.root;
    this.#offset = 0;
  }

  write(chunk: Uint8Array, from = 0, to = chunk.length): void {
    for (let at = from; at < to; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#state === "string") {
        this.#readString(byte);
      } else if (this.#state === "scalar" && !isEndOfScalar(byte)) {
        this.#keep(byte);
      } else {
        if (this.#state === "scalar") {
          this.#endScalar();
        }
        this.#readBetween(byte);
      }
      this.#offset += 1;
    }
  }

  #readString(byte: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      this.#state = "between";
      this.#endString();
      return;
    }
    this.#keep(byte);
  }

  #keep(byte: number): void {
    this.#bytes += 1;
    if (this.#bytes <= TEXT_BYTES_MAX && this.#skipped === 0) {
      this.#kept.push(byte);
    }
  }

  #startText(state: "string" | "scalar"): void {
    this.#state = state;
    this.#start = this.#offset;
    this.#bytes = 0;
    this.#kept = [];
  }

  #readBetween(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#isKey = this.#expectsKey && this.#skipped === 0;
        this.#startText("string");
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#open(byte === OPEN_ARRAY);
        return;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#close();
        return;
      case COMMA:
        this.#next();
        return;
      case COLON:
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return;
      default:
        if (this.#skipped === 0 && this.#valueNode?.place !== undefined) {
          this.#startText("scalar");
          this.#keep(byte);
        }
    }
  }

  #open(isArray: boolean): void {
    const node = this.#valueNode;
    if (this.#skipped > 0 || node === undefined) {
      this.#skipped += 1;
      return;
    }
    this.#report(node, {
      kind: isArray ? "array" : "object",
      text: undefined,
      bytes: 0,
      start: this.#offset,
    });
    this.#frames.push({ node, isArray, index: 0 });
    this.#expectsKey = !isArray;
    this.#valueNode = isArray ? node.children.get("0") : undefined;
  }

  #close(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    this.#frames.pop();
    this.#expectsKey = false;
    // Behind a whole document, the next line of several may follow.
    this.#valueNode = this.#frames.length === 0 ? this.#pointers.root : undefined;
  }

  #next(): void {
    const frame = this.#frames.at(-1);
    if (this.#skipped > 0 || frame === undefined) {
      return;
    }
    frame.index += 1;
    this.#expectsKey = !frame.isArray;
    this.#valueNode = frame.isArray ? frame.node.children.get(String(frame.index)) : undefined;
  }

  #endString(): void {
    if (this.#skipped > 0) {
      return;
    }
    if (this.#isKey) {
      this.#expectsKey = false;
      this.#valueNode = this.#findChild();
      return;
    }
    const node = this.#valueNode;
    if (node?.place !== undefined) {
      const bytes = this.#bytes;
      this.#report(node, { kind: "string", text: this.#toText(), bytes, start: this.#start });
    }
  }

  #findChild(): Node | undefined {
    const children = this.#frames.at(-1)?.node.children;
    const name = this.#toText();
    if (children === undefined || name === undefined) {
      return;
    }
    const child = children.get(name);
    if (child === undefined && this.#events.onAlias !== undefined) {
      const folded = foldCase(name);
      for (const known of children.keys()) {
        if (foldCase(known) === folded) {
          this.#events.onAlias(name);
        }
      }
    }
    return child;
  }

  #endScalar(): void {
    this.#state = "between";
    const node = this.#valueNode;
    if (node !== undefined) {
      const text = this.#bytes > TEXT_BYTES_MAX ? undefined : toLatin(this.#kept);
      const kind = text === undefined || /^[-\d]/.test(text) ? "number" : "literal";
      this.#report(node, { kind, text, bytes: 0, start: this.#start });
    }
  }

  /** What stands between the quotes, escapes resolved; undefined when it is too long or no JSON string. */
  #toText(): string | undefined {
    if (this.#bytes > TEXT_BYTES_MAX) {
      return;
    }
    const raw = Buffer.from(this.#kept).toString("utf8");
    if (!raw.includes("\\")) {
      return raw;
    }
    try {
      return String(JSON.parse(`"${raw}"`));
    } catch {
      return;
    }
  }

  #report(node: Node, value: FoundValue): void {
    if (node.place !== undefined) {
      this.#events.onValue(node.place, value);
    }
  }
}

/** As lenient readers do: a long s and the Kelvin sign are letters s and k to them. */
function foldCase(name: string): string {
  return name.toLowerCase().replaceAll("\u017f", "s").replaceAll("\u212a", "k");
}

function isEndOfScalar(byte: number): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE_OBJECT ||
    byte === CLOSE_ARRAY ||
    byte === 0x20 ||
    byte === 0x0a ||
    byte === 0x0d ||
    byte === 0x09
  );
}

function toLatin(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("latin1");
}

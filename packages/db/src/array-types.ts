/** A type of the driver: `to` when sent, `from` when received, by PostgreSQL's numbers (`pg_type.oid`, fixed for ever). */
type ArrayType<Item> = {
  to: number;
  from: number[];
  serialize(items: readonly unknown[]): string;
  parse(text: string): (Item | null)[];
};

/** One dimension; what is not null is quoted, so that no item can be taken for another thing. */
function serializeArray(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (item === null) {
      return "NULL";
    }
    const text = item instanceof Date ? item.toISOString() : String(item);
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${parts.join(",")}}`;
}

const ITEM = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs;

function parseItems(text: string): (string | null)[] {
  return Array.from(text.matchAll(ITEM), ([, quoted, bare]) => {
    if (quoted !== undefined) {
      return quoted.replaceAll(/\\(.)/gs, "$1");
    }
    return bare === undefined || bare === "NULL" ? null : bare;
  });
}

function arrayType<Item>(oid: number, parseItem: (text: string) => Item): ArrayType<Item> {
  return {
    to: oid,
    from: [oid],
    serialize: serializeArray,
    parse: (text) => parseItems(text).map((item) => (item === null ? null : parseItem(item))),
  };
}

const asIs = (text: string) => text;

/**
 * The array types that the product uses. The driver would ask the server for them on every new connection, and when that
 * connection is lost at this moment the error is unhandled, which ends the process (postgres 3.4.9).
 */
export const ARRAY_TYPES = {
  names: arrayType(1003, asIs),
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, asIs),
  bigints: arrayType(1016, BigInt),
  timestamps: arrayType(1185, (text) => new Date(text)),
  numerics: arrayType(1231, asIs),
};

// The HTTP interface of ClickHouse, as far as its client uses it, in front of chDB: one statement after the other. Ends with the
// process that started it.
import { createServer } from "node:http";
import { setPriority } from "node:os";
import { buffer } from "node:stream/consumers";
import chdb from "chdb";

// As the embedded PostgreSQL, so that the two compare on a busy machine.
setPriority(10);

const [, , folder, portText, user, password] = process.argv;
const session = new chdb.Session(folder);
let last = Promise.resolve();

/** Names in the address that are no settings. */
const OWN = new Set([
  "query",
  "database",
  "query_id",
  "session_id",
  "role",
  "wait_end_of_query",
  "enable_http_compression",
]);

const ESCAPES = { t: "\t", n: "\n", r: "\r" };
const readEscapes = (text) => text.replace(/\\(.)/gs, (_, char) => ESCAPES[char] ?? char);

/** Parameters come as ClickHouse writes values, and chDB takes them as JavaScript has them. */
function toValue(text, statement, name) {
  if (!statement.includes(`{${name}:Array`)) {
    return readEscapes(text);
  }
  const items = text.slice(1, -1).match(/'(?:\\.|[^'\\])*'|[^,\s]+/gs) ?? [];
  return items.map((item) =>
    item.startsWith("'") ? readEscapes(item.slice(1, -1)) : Number(item),
  );
}

async function readForm(request, body) {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) {
    return { text: body, fields: [] };
  }
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  return {
    text: Buffer.from(form.get("query") ?? ""),
    fields: [...form].filter(([name]) => name !== "query"),
  };
}

async function answer(request) {
  const address = new URL(request.url, "http://localhost");
  const { text, fields } = await readForm(request, await buffer(request));
  const named = [...address.searchParams, ...fields];
  const settings = named.filter(([name]) => !OWN.has(name) && !name.startsWith("param_"));
  if (settings.length > 0) {
    const each = settings.map(([name, value]) => `${name} = '${value.replaceAll("'", "\\'")}'`);
    session.query(`set ${each.join(", ")}`);
  }
  const query = address.searchParams.get("query");
  if (query !== null && text.length > 0 && /^\s*insert/i.test(query)) {
    const table = /insert\s+into\s+(\S+)/i.exec(query)?.[1];
    const format = /format\s+(\w+)/i.exec(query)?.[1];
    await session.insert({ table, format, values: text });
    return "";
  }
  const statement = [query ?? "", text.toString()].join("");
  const parameters = Object.fromEntries(
    named
      .filter(([name]) => name.startsWith("param_"))
      .map(([name, value]) => [name.slice(6), toValue(value, statement, name.slice(6))]),
  );
  const result = await (Object.keys(parameters).length === 0
    ? session.queryAsync(statement)
    : session.queryBindAsync(statement, parameters));
  return result.text();
}

const server = createServer((request, response) => {
  const isKnown =
    request.headers["authorization"] ===
    `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  last = last
    .then(async () => {
      if (request.url.startsWith("/ping")) {
        response.end("Ok.\n");
      } else if (isKnown) {
        response.end(await answer(request));
      } else {
        response.statusCode = 403;
        response.end(
          "Code: 516. DB::Exception: turnpike: Authentication failed. (AUTHENTICATION_FAILED)",
        );
      }
    })
    .catch((error) => {
      response.statusCode = 500;
      response.end(String(error.message));
    });
});
server.listen(Number(portText), "127.0.0.1", () => process.send?.("listening"));
process.on("disconnect", () => process.exit(0));

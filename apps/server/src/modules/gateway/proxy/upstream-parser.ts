/** What is used here of undici's parser of answers, one of which belongs to each connection. */
type ResponseParser = {
  statusText: string;
  onStatus(bytes: Buffer): number;
  onHeadersComplete(status: number, isUpgrade: boolean, shouldKeepAlive: boolean): number;
};

/** Node's HTTP parser is another one, under a string. */
function findParser(socket: object): ResponseParser | undefined {
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === "parser",
  );
  const parser: unknown = symbol === undefined ? undefined : Reflect.get(socket, symbol);
  return isResponseParser(parser) ? parser : undefined;
}

function isResponseParser(parser: unknown): parser is ResponseParser {
  return (
    typeof parser === "object" &&
    parser !== null &&
    "statusText" in parser &&
    "onStatus" in parser &&
    typeof parser.onStatus === "function" &&
    "onHeadersComplete" in parser &&
    typeof parser.onHeadersComplete === "function"
  );
}

const CONTINUE = 100;
const PROCESSING = 102;

/**
 * Makes undici read two things as HTTP defines them, for which it has no option:
 *
 * - `100 Continue` is an interim answer like any other, asked for or not (RFC 9110 section 15.2). undici drops the
 *   connection.
 * - A reason phrase is bytes. undici decodes them as UTF-8, and keeps only the last piece of a phrase that arrives in
 *   several.
 *
 * Without a parser to change, as in another version of undici, the connection works as undici makes it.
 *
 * @param socket - A connection that undici has just taken over.
 */
export function relaxResponseParser(socket: object): void {
  const parser = findParser(socket);
  if (parser === undefined) {
    return;
  }
  const onHeadersComplete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, isUpgrade, shouldKeepAlive) =>
    onHeadersComplete(status === CONTINUE ? PROCESSING : status, isUpgrade, shouldKeepAlive);
  parser.onStatus = (bytes) => {
    parser.statusText += bytes.toString("latin1");
    return 0;
  };
}

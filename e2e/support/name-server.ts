import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server that knows TXT records, and nothing else. */
export type NameServer = AsyncDisposable & {
  /** Address and port. */
  address: string;
  /** Name, in lower case, to text. */
  records: Map<string, string>;
};

const HEADER_BYTES = 12;
const TXT = 16;
const INTERNET = 1;
/** An answer, by the authority itself. */
const ANSWER_FLAGS = 0x8400;
const NAME_ERROR = 3;

/** The name that a question asks for, and where the question ends (RFC 1035, section 4.1.2). */
function readQuestion(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (message.readUInt8(at) !== 0) {
    const length = message.readUInt8(at);
    labels.push(message.toString("ascii", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 };
}

function toAnswer(message: Buffer, text: string | undefined, end: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWER_FLAGS | (text === undefined ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(text === undefined ? 0 : 1, 6);
  const question = message.subarray(HEADER_BYTES, end);
  if (text === undefined) {
    return Buffer.concat([header, question]);
  }
  const data = Buffer.from(text);
  const record = Buffer.alloc(13);
  // The name is the one in the question.
  record.writeUInt16BE(0xc000 + HEADER_BYTES, 0);
  record.writeUInt16BE(TXT, 2);
  record.writeUInt16BE(INTERNET, 4);
  record.writeUInt16BE(data.length + 1, 10);
  record.writeUInt8(data.length, 12);
  return Buffer.concat([header, question, record, data]);
}

/** Starts a name server on this machine. */
export async function startNameServer(): Promise<NameServer> {
  const records = new Map<string, string>();
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const { name, end } = readQuestion(message);
    socket.send(toAnswer(message, records.get(name), end), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${String(socket.address().port)}`,
    records,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

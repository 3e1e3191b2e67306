import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export type ReceivedMail = {
  from: string;
  to: string[];
  /** Headers and body as sent, dots unstuffed, lines ended by CR LF. */
  data: string;
};

export type SmtpServer = {
  port: number;
  /** Mails taken so far, in order. */
  mails: ReceivedMail[];
  /** Connections so far. */
  connections: number;
  /** Answers the next commands that begin so instead of the usual way; the last entry stays. */
  answer(command: "MAIL" | "RCPT" | "DATA" | "BODY", ...replies: string[]): void;
  close(): Promise<void>;
};

const USUAL: Readonly<Record<string, string>> = {
  EHLO: "250 mail.test",
  HELO: "250 mail.test",
  MAIL: "250 sender ok",
  RCPT: "250 recipient ok",
  DATA: "354 go on",
  BODY: "250 taken",
  RSET: "250 reset",
  QUIT: "221 bye",
};

/** A small mail server (RFC 5321) on loopback that keeps what it takes. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const replies = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  const nextReply = (verb: string): string => {
    const queue = replies.get(verb) ?? [];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? USUAL[verb] ?? "502 not known";
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    smtp.connections += 1;
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let mail: ReceivedMail = { from: "", to: [], data: "" };
    let isBody = false;
    let pending = "";
    const takeLine = (line: string): void => {
      if (isBody && line !== ".") {
        mail.data += `${line.startsWith("..") ? line.slice(1) : line}\r\n`;
        return;
      }
      const verb = isBody ? "BODY" : line.slice(0, 4).toUpperCase();
      const reply = nextReply(verb);
      if (reply.startsWith("2") && verb === "MAIL") {
        mail = { from: line.slice(line.indexOf("<") + 1, line.indexOf(">")), to: [], data: "" };
      }
      if (reply.startsWith("2") && verb === "RCPT") {
        mail.to.push(line.slice(line.indexOf("<") + 1, line.indexOf(">")));
      }
      if (reply.startsWith("2") && verb === "BODY") {
        smtp.mails.push(mail);
      }
      isBody = reply.startsWith("354");
      socket.write(`${reply}\r\n`);
      if (verb === "QUIT") {
        socket.end();
      }
    };
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      const lines = (pending + chunk).split("\r\n");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        takeLine(line);
      }
    });
    socket.write("220 mail.test\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const smtp: SmtpServer = {
    port: (server.address() as AddressInfo).port,
    mails: [],
    connections: 0,
    answer: (command, ...queue) => {
      replies.set(command, queue);
    },
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
  return smtp;
}

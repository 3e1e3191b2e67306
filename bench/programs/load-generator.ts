import { connect, type Socket } from "node:net";
import { createBareUpstream } from "../rig/bare-upstream.ts";
import { LatencyHistogram } from "../rig/latency-histogram.ts";
import { type LoadOrder, type LoadResult, WITH_UPSTREAM } from "../rig/load.ts";
import { reportPort } from "../rig/report-port.ts";
import { createRequestSource, type RequestSource } from "../rig/request-source.ts";

/**
 * Sends HTTP/1.1 requests over raw sockets, one at a time on each connection, and reads just enough of the answers to count
 * them. General clients cost more per call than the servers under test, so they would measure themselves.
 *
 * With a rate, calls are due on a fixed schedule and a latency runs from the moment its call was due: a server that stalls
 * cannot hide the calls that it kept from being sent (no coordinated omission).
 */
class LoadRun {
  readonly #order: LoadOrder;
  readonly #nextRequest: RequestSource;
  readonly #idle: Connection[] = [];
  readonly #histogram = new LatencyHistogram();
  readonly #cpuBefore = process.cpuUsage();
  #connections: Connection[] = [];
  #startedAtMs = 0;
  #endsAtMs = 0;
  #sent = 0;
  #open = 0;
  #answers = 0;
  #accepted = 0;
  #lastAnswerAtMs = 0;
  #firstRefusal: string | null = null;
  #isDone = false;
  #tick: NodeJS.Timeout | undefined;
  #idleMs = 0;
  #lookedAtMs = 0;
  #movedBefore = 0;
  readonly #done = Promise.withResolvers<LoadResult>();

  constructor(order: LoadOrder) {
    this.#order = order;
    this.#nextRequest = createRequestSource(order.requests);
  }

  async run(): Promise<LoadResult> {
    this.#connections = await Promise.all(
      Array.from({ length: this.#order.connections }, () =>
        Connection.open(this.#order.port, {
          onAnswer: (connection, answer) => this.#take(connection, answer),
          onLost: () => this.#done.reject(new Error("The server closed a connection.")),
        }),
      ),
    );
    this.#startedAtMs = performance.now();
    this.#endsAtMs = this.#startedAtMs + this.#order.seconds * 1000;
    this.#idle.push(...this.#connections);
    this.#lookedAtMs = this.#startedAtMs;
    if (this.#order.sharesItsCore === true) {
      // A timer sends what is due while nothing is answered; answers send the rest.
      this.#tick = setInterval(() => this.#send(), 1);
    }
    this.#look();
    try {
      return await this.#done.promise;
    } finally {
      this.#isDone = true;
      clearInterval(this.#tick);
      for (const connection of this.#connections) {
        connection.close();
      }
    }
  }

  /**
   * Sends what is due, looks for answers, and again, without ever sleeping: who sleeps has to be woken on another core for each
   * answer, which costs a server as much as a quarter of a call, and the more the slower it is; and a timer would send what is
   * due in bursts.
   */
  #look(): void {
    this.#send();
    const nowMs = performance.now();
    const moved = this.#sent + this.#answers;
    if (moved === this.#movedBefore) {
      this.#idleMs += nowMs - this.#lookedAtMs;
    }
    this.#movedBefore = moved;
    this.#lookedAtMs = nowMs;
    if (!this.#isDone && this.#order.sharesItsCore !== true) {
      setImmediate(() => this.#look());
    }
  }

  #send(): void {
    const nowMs = performance.now();
    const { ratePerSecond: rate, callsMax = Number.POSITIVE_INFINITY } = this.#order;
    while (this.#idle.length > 0 && this.#sent < callsMax) {
      const dueAtMs = rate === null ? nowMs : this.#startedAtMs + (this.#sent / rate) * 1000;
      if (dueAtMs > nowMs || Math.max(dueAtMs, nowMs) >= this.#endsAtMs) {
        break;
      }
      const connection = this.#idle.pop();
      if (connection === undefined) {
        break;
      }
      const request = this.#nextRequest(this.#sent);
      this.#sent += 1;
      this.#open += 1;
      connection.send(request, dueAtMs);
    }
    if (this.#open === 0 && (nowMs >= this.#endsAtMs || this.#sent >= callsMax)) {
      this.#finish();
    }
  }

  #take(connection: Connection, answer: Answer): void {
    const nowMs = performance.now();
    this.#lastAnswerAtMs = nowMs;
    this.#open -= 1;
    this.#answers += 1;
    this.#histogram.add(nowMs - connection.dueAtMs);
    const { acceptedStart } = this.#order;
    if (answer.status === 200 && answer.bodyStart.startsWith(acceptedStart)) {
      this.#accepted += 1;
    } else {
      this.#firstRefusal ??= `${String(answer.status)} ${answer.bodyStart}`;
    }
    this.#idle.push(connection);
    this.#send();
  }

  #finish(): void {
    const cpu = process.cpuUsage(this.#cpuBefore);
    const seconds = (this.#lastAnswerAtMs - this.#startedAtMs) / 1000;
    this.#done.resolve({
      answers: this.#answers,
      accepted: this.#accepted,
      firstRefusal: this.#firstRefusal,
      startedAtMs: performance.timeOrigin + this.#startedAtMs,
      seconds,
      latencyMsP50: this.#histogram.percentileMs(0.5),
      latencyMsP90: this.#histogram.percentileMs(0.9),
      latencyMsP99: this.#histogram.percentileMs(0.99),
      latencyMsP999: this.#histogram.percentileMs(0.999),
      latencyMsMax: this.#histogram.maxMs,
      generatorShare:
        this.#order.sharesItsCore === true
          ? (cpu.user + cpu.system) / 1e6 / seconds
          : 1 - this.#idleMs / 1000 / seconds,
    });
  }
}

/** What is looked at of an answer: its status and the first bytes of its body. */
type Answer = { status: number; bodyStart: string };

const BODY_START_BYTES = 64;
const HEAD_END = Buffer.from("\r\n\r\n");
const CHUNKED_END = Buffer.from("\r\n0\r\n\r\n");

class Connection {
  dueAtMs = 0;
  readonly #socket: Socket;
  readonly #onAnswer: (connection: Connection, answer: Answer) => void;
  #received: Buffer | undefined;
  #isClosing = false;

  private constructor(
    socket: Socket,
    on: { onAnswer: (connection: Connection, answer: Answer) => void; onLost: () => void },
  ) {
    this.#socket = socket;
    this.#onAnswer = on.onAnswer;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      if (!this.#isClosing) {
        on.onLost();
      }
    });
  }

  static open(
    port: number,
    on: { onAnswer: (connection: Connection, answer: Answer) => void; onLost: () => void },
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Connection(socket, on));
      });
    });
  }

  send(request: Buffer, dueAtMs: number): void {
    this.dueAtMs = dueAtMs;
    this.#socket.write(request);
  }

  close(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const answer = parseAnswer(bytes);
    if (answer === undefined) {
      this.#received = bytes;
      return;
    }
    this.#received = undefined;
    this.#onAnswer(this, answer);
  }
}

/** Reads one answer, framed by length or in chunks; `undefined` while it is not there whole. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) {
    return undefined;
  }
  const head = bytes.toString("latin1", 0, headEnd);
  const bodyAt = headEnd + HEAD_END.length;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const isWhole =
    length === undefined
      ? bytes.subarray(-CHUNKED_END.length).equals(CHUNKED_END)
      : bytes.length >= bodyAt + Number(length);
  // A body in chunks starts behind the line with the first chunk's size.
  const textAt = length === undefined ? bytes.indexOf("\r\n", bodyAt) + 2 : bodyAt;
  return isWhole
    ? {
        status: Number(head.slice(9, 12)),
        bodyStart: bytes.toString("latin1", textAt, textAt + BODY_START_BYTES),
      }
    : undefined;
}

if (process.argv.includes(WITH_UPSTREAM)) {
  reportPort(createBareUpstream());
}
process.on("message", (order: LoadOrder) => {
  new LoadRun(order).run().then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.once("disconnect", () => process.exit(0));

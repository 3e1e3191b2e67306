import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { sendRaw } from "@turnpike/testkit/raw-http";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBareGateway } from "../testing/bare-gateway.fixture.ts";

/** Of the system; without it these tests are left out. */
const OPENSSL = "openssl";

/** Makes a certificate for these names, and has this process trust it for the rest of the test. */
async function makeTrustedCertificate(names: string) {
  await using folder = await makeTempFolder();
  const [keyFile, certFile] = [join(folder.path, "key.pem"), join(folder.path, "cert.pem")];
  execFileSync(OPENSSL, [
    ...["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test"],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ...["-addext", `subjectAltName=${names}`, "-keyout", keyFile, "-out", certFile],
  ]);
  const cert = readFileSync(certFile, "utf8");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  return { key: readFileSync(keyFile), cert };
}

/** An https upstream behind a gateway that keeps the client's Host. */
async function startTlsUpstream(input: { certificateFor: string; reachedAs: string }) {
  const hosts: (string | undefined)[] = [];
  const namesAskedFor: (string | false | null)[] = [];
  const server = createServer(await makeTrustedCertificate(input.certificateFor), (req, res) => {
    hosts.push(req.headers.host);
    res.end("ok");
  });
  server.on("secureConnection", (socket: TLSSocket) => namesAskedFor.push(socket.servername));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const gateway = await startBareGateway({
    upstreams: [{ name: "main", url: `https://${input.reachedAs}:${port}`, preserveHost: true }],
  });
  onTestFinished(() => gateway.close());
  const call = async (host: string) => {
    const bytes = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    return (await sendRaw({ port: gateway.port, bytes })).status;
  };
  return { hosts, namesAskedFor, call };
}

describe.skipIf(spawnSync(OPENSSL, ["version"]).status !== 0)("an https upstream", () => {
  it("is asked for the certificate of its own name, on one connection, for every Host that it is sent", async () => {
    const upstream = await startTlsUpstream({
      certificateFor: "DNS:localhost",
      reachedAs: "localhost",
    });
    const hosts = ["api.example.com", "other.example.com:8443", "10.0.0.1", "[abc"];
    for (const host of hosts) {
      expect(await upstream.call(host)).toBe(200);
    }
    expect(upstream.hosts).toEqual(hosts);
    expect(upstream.namesAskedFor).toEqual(["localhost"]);
  });

  it("is not believed for a certificate that fits only the client's Host", async () => {
    const upstream = await startTlsUpstream({
      certificateFor: "DNS:api.example.com",
      reachedAs: "127.0.0.1",
    });
    expect(await upstream.call("api.example.com")).toBe(502);
    expect(upstream.hosts).toEqual([]);
  });

  it("may be reached by its IP address, for which no name is asked", async () => {
    const upstream = await startTlsUpstream({
      certificateFor: "IP:127.0.0.1",
      reachedAs: "127.0.0.1",
    });
    expect([await upstream.call("api.example.com"), await upstream.call("localhost")]).toEqual([
      200, 200,
    ]);
    expect(upstream.namesAskedFor).toEqual([false]);
  });
});

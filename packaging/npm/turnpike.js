#!/usr/bin/env -S node --disable-proto=delete
// The program that npm puts on the path. Everything it names must parse on old versions of Node, which are told so.
const NEEDED = [24, 7];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `turnpike: it needs Node ${NEEDED.join(".")} or newer, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  // Started without the flag of the first line: no object leads to the prototype of all objects here either.
  Reflect.deleteProperty(Object.prototype, "__proto__");
  await import("../apps/server/src/cli/main.js");
}

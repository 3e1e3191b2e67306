import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { ensureSecretFile } from "./secret-file.ts";

describe("ensureSecretFile", () => {
  it("makes 256 random bits that only their owner can read, and answers the same ever after", async () => {
    await using temp = await makeTempFolder();
    const folder = join(temp.path, "secrets");
    const secret = await ensureSecretFile(folder, "signing");
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await ensureSecretFile(folder, "signing")).toBe(secret);
    expect((await stat(join(folder, "signing"))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await ensureSecretFile(folder, "other")).not.toBe(secret);
  });

  it("gives 20 who race for it the same one, and leaves no draft behind", async () => {
    await using temp = await makeTempFolder();
    const secrets = await Promise.all(
      Array.from({ length: 20 }, () => ensureSecretFile(temp.path, "signing")),
    );
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(temp.path)).toEqual(["signing"]);
    expect(await readFile(join(temp.path, "signing"), "utf8")).toBe(secrets[0]);
  });

  it.each(["", "\n", "short"])(
    "refuses a file with %j in it, which a power cut or a hand left: it would sign with nothing",
    async (text) => {
      await using temp = await makeTempFolder();
      await writeFile(join(temp.path, "signing"), text);
      await expect(ensureSecretFile(temp.path, "signing")).rejects.toThrow(/holds no secret/);
    },
  );

  it("takes a secret that is already there, with or without a line end", async () => {
    await using temp = await makeTempFolder();
    const secret = "a".repeat(40);
    await writeFile(join(temp.path, "signing"), `${secret}\n`);
    expect(await ensureSecretFile(temp.path, "signing")).toBe(secret);
  });

  it("fails when the secret is there and cannot be read", async () => {
    await using temp = await makeTempFolder();
    await mkdir(join(temp.path, "signing"));
    await chmod(join(temp.path, "signing"), 0o700);
    await expect(ensureSecretFile(temp.path, "signing")).rejects.toMatchObject({
      code: "SECRET_FILE_UNUSABLE",
      message: expect.stringMatching(/signing cannot be read \(EISDIR/),
    });
    expect(await readdir(temp.path)).toEqual(["signing"]);
  });
});

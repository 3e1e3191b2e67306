import { startDemoApi } from "./start-demo-api.ts";

const port = Number(process.env["PORT"] ?? 4000);
const api = await startDemoApi({ port });
console.log(`Parcel API at ${api.url}, described at ${api.url}/openapi.json`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void api.close());
}

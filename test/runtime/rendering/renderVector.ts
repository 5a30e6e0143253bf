// Renders the vector of scripts in the time zones given and prints the digest of each document: what the test runs in a
// process of its own.
import { createHash } from "node:crypto"
import { scriptsDocument } from "./scriptsDocument.ts"

for (const zone of process.argv.slice(2)) {
  process.env["TZ"] = zone
  console.log(createHash("sha256").update(await scriptsDocument()).digest("hex"))
}

// Renders the vector of scripts and prints the digest of the document: what the test runs in processes of their own.
import { createHash } from "node:crypto"
import { scriptsDocument } from "./scriptsDocument.ts"

console.log(createHash("sha256").update(await scriptsDocument()).digest("hex"))

import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { ExportError, verifyExport } from "../../../client/verify/verifyCheckpoint.ts"
import { editions } from "../../../domain/evidence/exports/Edition.ts"
import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
import type { ExportManifest } from "../../../domain/evidence/exports/ExportManifest.ts"
import type { RenderRequest } from "../../../services/evidence/exports/ExportRenderer.ts"
import { renderSnapshot } from "../../rendering/renderSnapshot.ts"
import { AlreadySaid, WrongUsage } from "../../terminal/ExitCode.ts"
import { json, printJson, printText } from "../../terminal/Printing.ts"
import { keysFlag, readKeys, textOf, verifyEventsCommand } from "./VerifyEvents.ts"

const piecesOf = (path: string): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: 256 * 1024 })

/** Whether rendering the snapshot in an edition gives exactly the signed file. */
const rendersAlikeIn = async (
  edition: Edition,
  request: RenderRequest,
  { artifact_digest }: ExportManifest,
  path: string
) => {
  const sum = createHash("sha256")
  const rendering = await renderSnapshot(request, edition)
  for await (const piece of piecesOf(path)) {
    for (const bytes of (await rendering.push(piece)).pieces) sum.update(bytes)
  }
  for (const bytes of (await rendering.end()).pieces) sum.update(bytes)
  return `sha256:${sum.digest("hex")}` === artifact_digest
}

/** Renders the snapshot again; returns whether that gives exactly the signed file, in the edition of its time. */
const rendersAlike = async (manifest: ExportManifest, path: string) => {
  const { digest, format, seal } = manifest
  if (format === "json") return true
  for (const edition of editions) {
    if (await rendersAlikeIn(edition, { format, digest, seal }, manifest, path)) return true
  }
  return false
}

const inputs = {
  file: Argument.String("file").pipe(Argument.withDescription("Downloaded export file")),
  manifest: Flag.String("manifest").pipe(
    Flag.withDescription("A file with the body of GET /api/v1/reports/exports/{id}/manifest")
  ),
  keys: keysFlag,
  snapshot: Flag.String("snapshot").pipe(
    Flag.optional,
    Flag.withDescription(
      "Snapshot of the export, to check that rendering it again gives the same file"
    )
  ),
  json
}

/** `countersign verify export`: verifies a download offline. */
const verifyExportCommand = Command.make("export", inputs, (input) =>
  Effect.gen(function*() {
    const keys = yield* readKeys(input.keys)
    // A revoked key verifies nothing, and the refusal says why.
    const publicKeys = [...keys.publicKeys, ...keys.revokedKeys]
    const manifest = yield* textOf(input.manifest)
    const snapshot = input.snapshot._tag === "Some" ? input.snapshot.value : undefined
    const attempt = <A>(path: string, run: () => Promise<A>) =>
      Effect.tryPromise({
        try: run,
        catch: (cause) =>
          cause instanceof ExportError ? cause : new WrongUsage({ message: `${path}: ${String(cause)}` })
      })
    const verdict = yield* attempt(input.file, () => verifyExport({ file: piecesOf(input.file), manifest, publicKeys }))
      .pipe(
        Effect.tap(({ manifest: signed }) =>
          snapshot === undefined ? Effect.void : attempt(snapshot, async () => {
            await verifyExport({ file: piecesOf(snapshot), manifest, publicKeys, part: "snapshot" })
            if (await rendersAlike(signed, snapshot)) return
            throw new ExportError("digest_mismatch", "Rendering the snapshot again gives a different file")
          })
        ),
        Effect.map(({ kid, manifest }) => ({ ok: true, kid, manifest }) as const),
        Effect.catchIf(
          (error) => error instanceof ExportError,
          ({ code, message, revokedAt }) =>
            Effect.succeed({ ok: false, fault: code, detail: message, revokedAt } as const)
        )
      )
    yield* input.json ? printJson(verdict) : printText(
      verdict.ok
        ? `verified: ${verdict.manifest.file_name}, ${verdict.manifest.rows} rows of ${verdict.manifest.report_kind}` +
          (verdict.manifest.environment === undefined ? " " : ` of the ${verdict.manifest.environment} environment `) +
          `as of ${verdict.manifest.frozen_at} after event ${verdict.manifest.as_of_sequence}, signed by ${verdict.kid}` +
          (snapshot === undefined ? "" : "; rendering the snapshot again gives the same file")
        : `not verified: ${verdict.fault}: ${verdict.detail}`
    )
    if (!verdict.ok) return yield* new AlreadySaid({ message: verdict.fault })
  })).pipe(
    Command.withDescription("Verify a downloaded report export offline: digests and signature"),
    Command.withExamples([{
      command: "countersign verify export usage.pdf --manifest manifest.json --keys keys.json",
      description: "A downloaded file"
    }])
  )

/** `countersign verify ...`: verifies signed data offline. */
export const verify = Command.make("verify").pipe(
  Command.withExamples([{
    command: "countersign verify events events.jsonl --keys keys.json",
    description: "A file from `events export`"
  }]),
  Command.withSubcommands([verifyEventsCommand, verifyExportCommand])
)

import { Effect, Schema } from "effect"
import * as Fs from "node:fs"
import { readCheckpointText } from "../../domain/evidence/transparency/MerkleTree.ts"
import { readNote } from "../../domain/evidence/transparency/SignedNote.ts"
import type { Cosigned } from "../../domain/evidence/witnessing/Cosigning.ts"
import { KeptChange } from "../../domain/evidence/witnessing/FollowedLogs.ts"
import { replaceFile } from "../archive/replaceFile.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"

/**
 * The file: the note of the latest cosigned checkpoint of each log, with the signatures of the log, by its origin; beside it the changes of
 * the keys of the log, once there are any.
 */
const StateFile = Schema.Record(
  Schema.String,
  Schema.Union([
    Schema.String,
    Schema.Struct({ note: Schema.String, key_changes: Schema.Array(KeptChange) })
  ])
)
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StateFile))

/** The checkpoints that a witness has cosigned. */
export interface WitnessState {
  /** The checkpoint of a log that was cosigned last. */
  readonly last: (origin: string) => Cosigned | undefined
  /** Its note, with the signatures of the log. */
  readonly note: (origin: string) => string | undefined
  readonly origins: () => ReadonlyArray<string>
  /** The changes of the keys of a log that were accepted, in their order. */
  readonly changes: (origin: string) => ReadonlyArray<KeptChange>
  /** Keeps the note of a newer checkpoint, on the disk before it answers. */
  readonly keep: (origin: string, note: string) => Effect.Effect<void>
  /** Keeps a change of the keys, on the disk before it answers. */
  readonly learn: (origin: string, change: KeptChange) => Effect.Effect<void>
}

/** The changes of the keys of each log. */
type Changes = ReadonlyMap<string, ReadonlyArray<KeptChange>>

const checkpointOf = (note: string) => {
  const read = readNote(note)
  return read && readCheckpointText(read.text)
}

const textOf = (notes: ReadonlyMap<string, string>, changes: Changes) => {
  const members = [...notes].map(([origin, note]) => {
    const key_changes = changes.get(origin) ?? []
    return [origin, key_changes.length === 0 ? note : { note, key_changes }] as const
  })
  return `${JSON.stringify(Object.fromEntries(members), null, 2)}\n`
}

/** The state with these notes and changes, whose changes are written so; what cannot be written is not kept. */
export const makeWitnessState = (
  notes: Map<string, string>,
  write: (notes: ReadonlyMap<string, string>, changes: Changes) => Effect.Effect<void>,
  changes: Map<string, ReadonlyArray<KeptChange>> = new Map()
): WitnessState => {
  const changesOf = (origin: string) => changes.get(origin) ?? []
  return {
    last: (origin) => {
      const note = notes.get(origin)
      return note === undefined ? undefined : checkpointOf(note)
    },
    note: (origin) => notes.get(origin),
    origins: () => [...notes.keys()],
    changes: changesOf,
    keep: (origin, note) =>
      Effect.andThen(
        write(new Map([...notes, [origin, note]]), changes),
        Effect.sync(() => void notes.set(origin, note))
      ),
    learn: (origin, change) => {
      const more = [...changesOf(origin), change]
      return Effect.andThen(
        write(notes, new Map([...changes, [origin, more]])),
        Effect.sync(() => void changes.set(origin, more))
      )
    }
  }
}

/**
 * Writes the state where nobody else does: two processes with one state would sign two histories of a log. The file must
 * be as this process left it, and only one at a time makes the part that takes its place.
 */
const writerOf = (path: string, part: string) => {
  let known = Fs.readFileSync(path, "utf8")
  const replace = async (text: string) => {
    await replaceFile(path, async (part) => {
      await Fs.promises.writeFile(part, text, { mode: 0o600, flag: "wx" })
      if (await Fs.promises.readFile(path, "utf8") !== known) throw new Error(`${path} was written by another process`)
    }, part)
    known = text
  }
  return (notes: ReadonlyMap<string, string>, changes: Changes) =>
    Effect.tryPromise(() => replace(textOf(notes, changes))).pipe(
      Effect.tapError(({ cause }) =>
        Effect.logError(
          `The witness cosigns nothing, because its state cannot be written: ${
            cause instanceof Error ? cause.message : cause
          }. ` +
            "One process has a state: stop the others, and start this one again"
        )
      ),
      Effect.orDie
    )
}

/** Opens the state in a file. Without one the witness would cosign a second history: `isNew` says that none is expected. */
export const openWitnessState = Effect.fnUntraced(function*(path: string, isNew: boolean) {
  if (!Fs.existsSync(path) && !isNew) {
    return yield* new WrongUsage({
      message:
        `${path} is not there, and this key has been used: without what it cosigned, a log could show it another ` +
        "history. Bring the file back, or take a new key. --new-state begins without it"
    })
  }
  const part = `${path}.part`
  // A process that was killed has left it. One that is alive loses it, and cosigns nothing by it.
  Fs.rmSync(part, { force: true })
  if (!Fs.existsSync(path)) {
    yield* Effect.promise(() =>
      replaceFile(path, (part) => Fs.promises.writeFile(part, textOf(new Map(), new Map()), { mode: 0o600 }), part)
    )
  }
  const unreadable = () => new WrongUsage({ message: `${path} does not hold the state of a witness` })
  const kept = Object.entries(yield* Effect.mapError(decode(Fs.readFileSync(path, "utf8")), unreadable))
  const notes = new Map(kept.map(([origin, one]) => [origin, typeof one === "string" ? one : one.note]))
  const changes = new Map(kept.map(([origin, one]) => [origin, typeof one === "string" ? [] : one.key_changes]))
  for (const [origin, note] of notes) if (checkpointOf(note)?.origin !== origin) return yield* unreadable()
  return makeWitnessState(notes, writerOf(path, part), changes)
})

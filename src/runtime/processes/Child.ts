import { Effect } from "effect"
import { stopOneself } from "../StopRequest.ts"

/** A message of a process to its parent. */
export type ToParent =
  | { readonly type: "ready"; readonly port: number; readonly publicUrl: string }
  /** Asks for the metrics of all processes. */
  | { readonly type: "collect"; readonly id: number }
  /** Its own metrics, in the Prometheus text format. */
  | { readonly type: "rendered"; readonly id: number; readonly text: string }

/** A message of the parent to a process. */
export type ToChild =
  | { readonly type: "render"; readonly id: number }
  | { readonly type: "collected"; readonly id: number; readonly text: string }
  /** Asks it to stop, as a signal would. A signal of its own may come beside it, where one went to a whole group. */
  | { readonly type: "stop"; readonly signal: NodeJS.Signals }

/** The variable that gives a process its number, from 1. */
export const numberVariable = "COUNTERSIGN_PROCESS_NUMBER"

/** The variable that tells the process which starts first how many there will be. */
export const countVariable = "COUNTERSIGN_PROCESS_COUNT"

/** The variable that is set where the database is embedded: the parent runs it. */
export const databaseEmbeddedVariable = "COUNTERSIGN_PROCESS_DATABASE_EMBEDDED"

/** The variable that is set where other processes of the parent listen on the same port. */
export const portSharedVariable = "COUNTERSIGN_PROCESS_PORT_SHARED"

/** This process as one of several that a parent runs. */
export interface Child {
  /** Starts at 1. */
  readonly number: number
  /** How many processes start now, including this one: 1, except in the first process, which the others follow. */
  readonly starting: number
  /** Whether `DATABASE_URL` leads to an embedded database, which the parent runs. */
  readonly isDatabaseEmbedded: boolean
  /** Whether other processes of the parent listen on the same port. */
  readonly isPortShared: boolean
  /** Reports to the parent that this process is ready, and its port. */
  readonly ready: (port: number, publicUrl: string) => void
  /** The metrics of all processes; `render` makes those of this one, whichever process is asked. */
  readonly metrics: (render: () => Promise<string>) => Effect.Effect<string>
}

const send = (message: ToParent): void => {
  // A parent that is gone ends this process; see below.
  if (process.connected) process.send!(message, undefined, {}, () => {})
}

const make = (): Child => {
  // A parent that was killed cannot stop its processes.
  process.once("disconnect", () => stopOneself("SIGTERM"))
  process.on("message", (message: ToChild) => {
    if (message.type === "stop") stopOneself(message.signal)
  })
  let requests = 0
  return {
    number: Number(process.env[numberVariable]),
    starting: Number(process.env[countVariable] ?? 1),
    isDatabaseEmbedded: process.env[databaseEmbeddedVariable] !== undefined,
    isPortShared: process.env[portSharedVariable] !== undefined,
    ready: (port, publicUrl) => send({ type: "ready", port, publicUrl }),
    metrics: (render) => {
      const waiting = new Map<number, (text: string) => void>()
      process.on("message", (message: ToChild) => {
        if (message.type === "collected") return waiting.get(message.id)?.(message.text)
        // Without an answer the parent leaves this process out.
        if (message.type === "render") {
          render().then((text) => send({ type: "rendered", id: message.id, text }), () => {})
        }
      })
      return Effect.callback<string>((resume) => {
        const id = ++requests
        waiting.set(id, (text) => resume(Effect.succeed(text)))
        send({ type: "collect", id })
        return Effect.sync(() => void waiting.delete(id))
      })
    }
  }
}

/** `undefined` for a process that runs by itself. */
export const child: Child | undefined = process.env[numberVariable] === undefined || process.send === undefined
  ? undefined
  : make()

import { Effect } from "effect"
import { stopOneself } from "../StopRequest.ts"
import { countVariable, databaseEmbeddedVariable, numberVariable, portSharedVariable } from "./messages.ts"
import type { ToChild, ToParent } from "./messages.ts"

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

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

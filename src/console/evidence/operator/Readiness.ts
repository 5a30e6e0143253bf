import type { ReadyData } from "../../../client/api/index.ts"
import { openProcessClient } from "../../ground/session/Session.ts"

/** An answer of a node that is not ready is as useful: it has the reason. */
const send: typeof fetch = async (input, init) => {
  const { body, headers, status, statusText } = await fetch(input, init)
  return new Response(body, { headers, statusText, status: status === 503 ? 200 : status })
}

/** Whether requests should be sent to the node that answers, and why not. */
export const readiness = (signal: AbortSignal): Promise<ReadyData> =>
  openProcessClient(send).system.readyz({ signal, timeoutMs: 5000, maxRetries: 0 })

/** The metrics of the process that answered, whatever environment is shown. */
export const readProcessMetrics = (signal: AbortSignal) =>
  openProcessClient((input, init) => fetch(input, init)).system.getMetrics({ signal })

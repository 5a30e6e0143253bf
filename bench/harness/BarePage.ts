import { Effect } from "effect"
import { loadOn } from "./Comparison.ts"
import { requestBytes } from "./HttpRequest.ts"
import type { ServedPage } from "./limitPage.ts"
import type { LoadAnswer, LoadQuestion } from "./load.ts"
import { startWorker } from "./Worker.ts"
import type { Worker } from "./Worker.ts"

/** Serves a page with a bare handler; answers what asks it, one request after the other. */
export const bareHttp = (load: Worker<LoadQuestion, LoadAnswer>, page: ServedPage) =>
  Effect.gen(function*() {
    const server = yield* startWorker<ServedPage, number>(new URL("./limitPage.ts", import.meta.url))
    const port = yield* server.ask(page)
    return loadOn(load, { port, pid: server.pid, requests: [requestBytes(port, "GET", "/", {})] }, 1)
  })

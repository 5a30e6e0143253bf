// The program of the thread that compresses the streams of a long document, one after the other.
import { zlibSync } from "fflate"
import { parentPort, workerData } from "node:worker_threads"

parentPort?.on("message", (/** @type {Uint8Array} */ bytes) => {
  const data = zlibSync(bytes, workerData)
  parentPort?.postMessage(data, [/** @type {ArrayBuffer} */ (data.buffer)])
})

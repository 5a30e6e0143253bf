import { Effect, Layer, Metric } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { constants, performance, PerformanceObserver } from "node:perf_hooks"
import type { PerformanceEntry } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { fromStart, fromStartBy } from "../../services/ground/platform/SeriesFromStart.ts"

// These names are the same in every exporter of a process: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
const residentMemory = fromStart(Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory, in bytes."
}))
const cpuSeconds = fromStart(Metric.counter("process_cpu_seconds_total", {
  description: "User and system CPU time, in seconds.",
  incremental: true
}))
const startTime = fromStart(Metric.gauge("process_start_time_seconds", {
  description: "When the process started, in seconds since 1970."
}))
const openFiles = fromStart(Metric.gauge("process_open_fds", {
  description: "Open file descriptors, connections included; 0 where the system does not tell."
}))
const mostFiles = fromStart(Metric.gauge("process_max_fds", {
  description: "How many file descriptors the process may open; 0 where the system does not tell."
}))
const heapUsed = fromStart(Metric.gauge("nodejs_heap_used_bytes", { description: "Used heap, in bytes." }))
const heapLimit = fromStart(Metric.gauge("nodejs_heap_limit_bytes", {
  description: "Bytes of heap at which node ends the process."
}))
const loopDelay = fromStart(Metric.histogram("nodejs_eventloop_delay_seconds", {
  description: "How late a timer fires: what everything that has to run waits, in seconds.",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
}))
const collections = fromStartBy(
  ["minor", "major", "incremental", "weakcb"],
  (type) =>
    Metric.histogram("nodejs_gc_duration_seconds", {
      description: "Pauses for garbage collection, in seconds, by kind.",
      boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
      attributes: { type }
    })
)

/**
 * The interval at which the event loop's delay is sampled, in milliseconds. It limits how often an idle process
 * wakes; a sample at a moment independent of the load waits as long as a request would.
 */
const sampleEvery = 500

/** An entry of node's about a garbage collection, which its types do not know. */
interface GarbageCollection extends PerformanceEntry {
  readonly detail: { readonly kind: number }
}

const kinds = new Map<number, Metric.Histogram<number>>([
  [constants.NODE_PERFORMANCE_GC_MINOR, collections.minor],
  [constants.NODE_PERFORMANCE_GC_MAJOR, collections.major],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, collections.incremental],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, collections.weakcb]
])

/** The directory in which each open file descriptor has an entry; macOS has only the second. */
const descriptors = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"

/** The number of open files of the process, without the directory that is read to count them. */
const countFiles = () => readdir(descriptors).then(({ length }) => length - 1, () => 0)

/** How many files the process may open. */
const readMostFiles = () =>
  readFile("/proc/self/limits", "utf8").then(
    (limits) => Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 0),
    () => 0
  )

/** Samples the event loop and counts garbage collections until the scope closes. */
export const layerSampling = Layer.effectDiscard(Effect.gen(function*() {
  const context = yield* Effect.context<never>()
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { kind } = (entry as GarbageCollection).detail
          kinds.get(kind)?.updateUnsafe(entry.duration / 1000, context)
        }
      })
      observer.observe({ entryTypes: ["gc"] })
      let due = performance.now() + sampleEvery
      const timer = setInterval(() => {
        const now = performance.now()
        loopDelay.updateUnsafe(Math.max(0, now - due) / 1000, context)
        // The interval is measured from when it fired.
        due = now + sampleEvery
      }, sampleEvery).unref()
      return { observer, timer }
    }),
    ({ observer, timer }) =>
      Effect.sync(() => {
        clearInterval(timer)
        observer.disconnect()
      })
  )
}))

/** The process metrics that are read on request; created once. */
export const makeObserve: Effect.Effect<{ readonly observe: Effect.Effect<void> }> = Effect.gen(function*() {
  const most = yield* Effect.promise(readMostFiles)
  let counted = 0
  const observe = Effect.gen(function*() {
    const files = yield* Effect.promise(countFiles)
    const { heap_size_limit, used_heap_size } = getHeapStatistics()
    const { system, user } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    yield* Metric.update(residentMemory, process.memoryUsage.rss())
    yield* Metric.update(heapUsed, used_heap_size)
    yield* Metric.update(heapLimit, heap_size_limit)
    yield* Metric.update(cpuSeconds, seconds - counted)
    counted = seconds
    yield* Metric.update(startTime, performance.timeOrigin / 1000)
    yield* Metric.update(openFiles, files)
    yield* Metric.update(mostFiles, most)
  })
  return { observe }
})

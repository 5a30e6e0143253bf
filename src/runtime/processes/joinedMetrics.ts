/** The metrics of one process, in the Prometheus text format. */
export interface ProcessMetrics {
  /** The number of the process, from 1. */
  readonly process: number
  readonly text: string
}

/** A metric with what is said about it, and its samples of all processes. */
interface Family {
  readonly comments: Array<string>
  readonly samples: Array<string>
}

const comment = /^# (?:HELP|TYPE|UNIT) (\S+)/
const sample = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (.+)$/

/**
 * One text of the metrics of several processes (Prometheus text format 0.0.4): each sample has the label `process`, and
 * each metric is described once, as the format asks.
 */
export const joinMetrics = (all: ReadonlyArray<ProcessMetrics>): string => {
  const families = new Map<string, Family>()
  for (const { process, text } of all) {
    const described = new Set<string>()
    let family: Family | undefined
    for (const line of text.split("\n")) {
      const name = comment.exec(line)?.[1]
      if (name !== undefined) {
        const known = families.get(name)
        family = known ?? { comments: [], samples: [] }
        if (known === undefined) {
          families.set(name, family)
          described.add(name)
        }
        if (described.has(name)) family.comments.push(line)
        continue
      }
      const [, metric, labels = "", value] = sample.exec(line) ?? []
      if (metric === undefined) continue
      if (family === undefined) families.set(metric, family = { comments: [], samples: [] })
      family.samples.push(`${metric}{process="${process}"${labels === "" ? "" : `,${labels}`}} ${value}`)
    }
  }
  return [...families.values()].map(({ comments, samples }) => [...comments, ...samples, ""].join("\n")).join("")
}

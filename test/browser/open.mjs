// Opens the browser of this package. Its files are unpacked beside it, once.
import chromium, { inflate, setupLambdaEnvironment } from "@sparticuz/chromium"
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { chromium as driver } from "playwright-core"

/** Where the package unpacks to is the directory of temporary files, so it is another one meanwhile. */
const unpacked = join(import.meta.dirname, "node_modules/.chromium")

/** Whether the system has the libraries that Chromium needs and does not bring in its own file. */
const hasLibraries = () => {
  const { stdout } = spawnSync("ldconfig", ["-p"], { encoding: "utf8" })
  return /libnss3\.so/.test(String(stdout)) && /libnspr4\.so/.test(String(stdout))
}

/**
 * The program of the browser, unpacked if it is not. Who runs it while another unpacks it is refused (ETXTBSY), so it is
 * unpacked before the first test.
 */
export const executablePath = async () => {
  const temporary = process.env["TMPDIR"]
  mkdirSync(unpacked, { recursive: true })
  process.env["TMPDIR"] = unpacked
  try {
    const path = await chromium.executablePath()
    if (!hasLibraries()) {
      const bin = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../bin")
      setupLambdaEnvironment(join(await inflate(join(bin, "al2023.tar.br")), "lib"))
    }
    return path
  } finally {
    if (temporary === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = temporary
  }
}

/** The windows of a browser share one process for their pages: each page is of this machine, and a process for each window costs a tenth more. */
const oneRenderer = ["--renderer-process-limit=1", "--disable-site-isolation-trials"]

/**
 * A browser as `playwright-core` drives it, whose pages are waited for as long as is given, in milliseconds. Without a
 * sandbox, because tests may run as root. `more` are further arguments of Chromium.
 */
export const openBrowser = async (patience, more = []) => {
  const browser = await driver.launch({
    executablePath: await executablePath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--font-render-hinting=none",
      ...oneRenderer,
      ...more
    ],
    timeout: patience
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(patience)
    return context
  }
  return browser
}
